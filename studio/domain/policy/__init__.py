"""What a policy sees and how its network is run, in numpy. Not how it is trained."""
