"""What the pages say and do, without widgets. A presenter turns the session into words and numbers for one page."""
