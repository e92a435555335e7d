"""What roam-semantic costs, as ratios against named rivals in one run."""
