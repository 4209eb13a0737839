"""What every engine must do, as abstract test classes, one per promise."""
