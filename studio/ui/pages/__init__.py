"""The pages of the window, one file each. A page is widgets; what it says and does comes from its presenter."""
