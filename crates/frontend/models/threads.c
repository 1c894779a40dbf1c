/* Models of C11 threads, but for what blocks (src/lower/sync.rs): thrd_success is 0, thrd_error 2. */

extern int __threadproof_has_robust_mutexes(void);
extern int __threadproof_checks_misuse(void);
extern void __threadproof_note_initialised(int *);
extern int pthread_mutex_destroy(void *);
extern int pthread_key_create(unsigned *, void (*)(void *));
extern int pthread_key_delete(unsigned);
extern void *pthread_getspecific(unsigned);
extern int pthread_setspecific(unsigned, const void *);

int mtx_init(void *mutex, int type) {
    enum { KIND = sizeof(void *) == 4 ? 3 : 4 };
    if (type < 0 || type > 3) return 2;
    __atomic_store_n(&((int *)mutex)[0], 0, 5);
    __atomic_store_n(&((int *)mutex)[1], 0, 5);
    if (__threadproof_has_robust_mutexes()) __atomic_store_n(&((int *)mutex)[2], 0, 5);
    if (__threadproof_checks_misuse()) __threadproof_note_initialised(&((int *)mutex)[5]);
    __atomic_store_n(&((int *)mutex)[KIND], type & 1, 5);
    return 0;
}
void mtx_destroy(void *mutex) { pthread_mutex_destroy(mutex); }
int tss_create(unsigned *key, void (*destructor)(void *)) { return pthread_key_create(key, destructor) ? 2 : 0; }
void tss_delete(unsigned key) { pthread_key_delete(key); }
void *tss_get(unsigned key) { return pthread_getspecific(key); }
int tss_set(unsigned key, void *value) { return pthread_setspecific(key, value) ? 2 : 0; }
