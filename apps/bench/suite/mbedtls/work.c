#include "suite.h"
#include <mbedtls/aes.h>
#include <mbedtls/chacha20.h>
#include <mbedtls/poly1305.h>
#include <mbedtls/sha256.h>

enum { BYTES = 16384 };

void work(void)
{
    static unsigned char text[BYTES], secret[BYTES];
    unsigned char key[32], start[16] = { 1 }, nonce[12] = { 2 }, sum[32];
    suite_text((char *)text, BYTES);
    for (int n = 0; n < 32; n++)
        key[n] = (unsigned char)suite_random();
    mbedtls_aes_context aes;
    mbedtls_aes_init(&aes);
    mbedtls_aes_setkey_enc(&aes, key, 256);
    mbedtls_aes_crypt_cbc(&aes, MBEDTLS_AES_ENCRYPT, BYTES, start, text, secret);
    mbedtls_aes_free(&aes);
    suite_result(secret, 1000);
    mbedtls_chacha20_crypt(key, nonce, 1, BYTES, text, secret);
    mbedtls_poly1305_mac(key, secret, BYTES, sum);
    suite_result(sum, 16);
    for (int n = 0; n < 4; n++)
        mbedtls_sha256_ret(secret, BYTES, sum, 0);
    suite_result(sum, 32);
}
