"""The parts of a page in which time runs: pictures of videos and fighter, and the timeline. They know no project and
no stage."""
