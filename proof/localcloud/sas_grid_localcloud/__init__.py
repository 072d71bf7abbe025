"""The embedded AWS of cdk-sas-grid: ministack plus what the reference deployments need and it lacks."""
