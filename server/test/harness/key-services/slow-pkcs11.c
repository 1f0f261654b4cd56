/*
 * A PKCS#11 module that passes everything on to SoftHSM, but whose encryption and decryption wait for as long as a file
 * exists. STRONGROOM_TEST_MODULE names SoftHSM's library, STRONGROOM_TEST_SLOW the file.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long (*Operation)(unsigned long, void *, unsigned long, void *, unsigned long *);

/* The list of functions begins with the version, padded to the size of a pointer. */
enum { functions = 68, encrypt = 30, decrypt = 34 };
static struct {
  void *version;
  void *function[functions];
} list;
static Operation real_encrypt, real_decrypt;

static void wait_while_slow(void) {
  const char *file = getenv("STRONGROOM_TEST_SLOW");
  while (file != NULL && access(file, F_OK) == 0) usleep(20000);
}

static unsigned long slow_encrypt(unsigned long s, void *in, unsigned long n, void *out, unsigned long *length) {
  wait_while_slow();
  return real_encrypt(s, in, n, out, length);
}

static unsigned long slow_decrypt(unsigned long s, void *in, unsigned long n, void *out, unsigned long *length) {
  wait_while_slow();
  return real_decrypt(s, in, n, out, length);
}

unsigned long C_GetFunctionList(void **found) {
  if (list.version == NULL) {
    void *module = dlopen(getenv("STRONGROOM_TEST_MODULE"), RTLD_NOW);
    if (module == NULL) return 5;
    void *get = dlsym(module, "C_GetFunctionList");
    void *real = NULL;
    if (get == NULL || ((unsigned long (*)(void **))get)(&real) != 0) return 5;
    memcpy(&list, real, sizeof list);
    real_encrypt = (Operation)list.function[encrypt];
    real_decrypt = (Operation)list.function[decrypt];
    list.function[encrypt] = (void *)slow_encrypt;
    list.function[decrypt] = (void *)slow_decrypt;
  }
  *found = &list;
  return 0;
}
