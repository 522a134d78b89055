#pragma once

#define FOLD_GROUP 32
#define FOLD_MOST_GROUPS 1024  // of the widest pictures
