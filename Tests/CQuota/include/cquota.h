// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.

#ifndef GANTRY_CQUOTA_H
#define GANTRY_CQUOTA_H

// A disk on which this user has no share left: every write of SQLite fails with EDQUOT while it is so.

// Stands between SQLite and the system's writes from now on. Returns how many of the calls that write SQLite has.
int gantry_quota_install(void);

// Whether the share is used up.
void gantry_quota_set(int is_used_up);

#endif
