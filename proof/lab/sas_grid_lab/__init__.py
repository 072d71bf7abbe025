"""Virtual machines that look like EC2 instances, and the scenarios that prove the host software on them."""
