"""What every web page of ours has in common. It knows no tree and no model."""
