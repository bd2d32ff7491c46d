// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.

#ifndef GANTRY_CJOURNAL_H
#define GANTRY_CJOURNAL_H

// Makes SQLite take a user's exceeded share of a disk (EDQUOT) for a full disk, as it takes ENOSPC: nothing of a commit was written, and
// the same bytes may be tried again. Without it that error looks like a broken disk. For the whole process, and before the first file is
// opened; further calls do nothing. Returns 0, or SQLite's code.
int gantry_journal_take_quota_for_full(void);

#endif
