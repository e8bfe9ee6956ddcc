/* Of Mbed TLS: what work.c uses. */
#define MBEDTLS_AES_C
#define MBEDTLS_CIPHER_MODE_CBC
#define MBEDTLS_SHA256_C
#define MBEDTLS_CHACHA20_C
#define MBEDTLS_POLY1305_C
