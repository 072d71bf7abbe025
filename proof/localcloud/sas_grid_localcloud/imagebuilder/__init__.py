"""EC2 Image Builder: components, recipes, configurations and pipelines are kept, and a pipeline really builds.

An execution launches an instance of the embedded EC2, runs the components on its host with the rights of its instance
profile, makes an image of it, tests that on another instance, and distributes it. What is believed of AWS here: the
service's model in botocore 1.43.106, and the EC2 Image Builder User Guide, read 2026-11-27.
"""

from .api import install

__all__ = ['install']
