"""One module for each scenario: TITLE and run(lab, steps)."""
