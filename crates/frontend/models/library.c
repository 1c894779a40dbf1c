/* What all models of library functions share. Functions the program defines itself win over models.
 *
 * Each file of this folder is parsed only if the program mentions a name that it defines. Pointers to opaque types are
 * `void *` or pointers to their words: see src/lower/sync.rs for the layout. No header is included.
 */

/* ---- errno and standard streams ------------------------------------------------------------------------------ */

static _Thread_local int errno_value;
int *__errno_location(void) { return &errno_value; }

static char streams[3];
void *stdin = &streams[0];
void *stdout = &streams[1];
void *stderr = &streams[2];
