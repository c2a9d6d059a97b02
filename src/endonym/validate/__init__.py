"""The room where items are tried: items, judgments and scores in; judgments and kept items out. Stages stand in `endonym.stages`."""
