/* ctype.h in the C locale, with glibc's results: a class is a bit of its table. The functions compare instead of looking up, which is
 * easier to reason about; the table is there for code that its macros expand to.
 *
 * An argument that is neither a character nor EOF reads outside of the table, here as there.
 */

enum { UPPER = 256, LOWER = 512, ALPHA = 1024, DIGIT = 2048, XDIGIT = 4096, SPACE = 8192, PRINT = 16384, GRAPH = 32768,
       BLANK = 1, CNTRL = 2, PUNCT = 4, ALNUM = 8 };

static const unsigned short class_table[384] = { /* from -128 */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 8195, 8194, 8194, 8194, 8194, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 24577, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156,
    49156, 49156, 49156, 49156, 49156, 49156, 55304, 55304, 55304, 55304, 55304, 55304, 55304, 55304, 55304, 55304,
    49156, 49156, 49156, 49156, 49156, 49156, 49156, 54536, 54536, 54536, 54536, 54536, 54536, 50440, 50440, 50440,
    50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440,
    50440, 49156, 49156, 49156, 49156, 49156, 49156, 54792, 54792, 54792, 54792, 54792, 54792, 50696, 50696, 50696,
    50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696,
    50696, 49156, 49156, 49156, 49156, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
static const int tolower_table[384] = { /* from -128 */
    128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150,
    151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173,
    174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
    197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219,
    220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242,
    243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42,
    43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 97, 98, 99, 100, 101, 102,
    103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 91, 92, 93,
    94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117,
    118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140,
    141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163,
    164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186,
    187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209,
    210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232,
    233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255,
};
static const int toupper_table[384] = { /* from -128 */
    128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150,
    151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173,
    174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
    197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219,
    220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242,
    243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42,
    43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70,
    71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 65, 66,
    67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 123, 124, 125,
    126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148,
    149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171,
    172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194,
    195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217,
    218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
    241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255,
};
static const unsigned short *class_start = class_table + 128;
static const int *tolower_start = tolower_table + 128;
static const int *toupper_start = toupper_table + 128;
const unsigned short **__ctype_b_loc(void) { return &class_start; }
const int **__ctype_tolower_loc(void) { return &tolower_start; }
const int **__ctype_toupper_loc(void) { return &toupper_start; }

/* Nonzero, as glibc has it, if `is`; outside of the table the access is what it is. */
static int class(int c, int is, int bit) {
    if (c < -128 || c > 255) return class_table[128 + (long)c] & bit;
    return is ? bit : 0;
}
static int upper(int c) { return c >= 'A' && c <= 'Z'; }
static int lower(int c) { return c >= 'a' && c <= 'z'; }
static int digit(int c) { return c >= '0' && c <= '9'; }

int isdigit(int c) { return class(c, digit(c), DIGIT); }
int islower(int c) { return class(c, lower(c), LOWER); }
int isupper(int c) { return class(c, upper(c), UPPER); }
int isalpha(int c) { return class(c, lower(c) | upper(c), ALPHA); }
int isalnum(int c) { return class(c, lower(c) | upper(c) | digit(c), ALNUM); }
int isspace(int c) { return class(c, (c == ' ') | (c >= '\t' & c <= '\r'), SPACE); }
int isblank(int c) { return class(c, (c == ' ') | (c == '\t'), BLANK); }
int iscntrl(int c) { return class(c, (c >= 0 & c < ' ') | (c == 127), CNTRL); }
int isprint(int c) { return class(c, c >= ' ' & c < 127, PRINT); }
int isgraph(int c) { return class(c, c > ' ' & c < 127, GRAPH); }
int ispunct(int c) { return class(c, (c > ' ' & c < 127) & !(lower(c) | upper(c) | digit(c)), PUNCT); }
int isxdigit(int c) { return class(c, digit(c) | (c >= 'a' & c <= 'f') | (c >= 'A' & c <= 'F'), XDIGIT); }
int isascii(int c) { return (c & ~0x7f) == 0; }
int toascii(int c) { return c & 0x7f; }
int tolower(int c) {
    if (c < -1 && c >= -128) return c + 256; /* glibc's table repeats itself below EOF */
    return upper(c) ? c + ('a' - 'A') : c;
}
int toupper(int c) {
    if (c < -1 && c >= -128) return c + 256;
    return lower(c) ? c - ('a' - 'A') : c;
}
int _tolower(int c) { return tolower(c); }
int _toupper(int c) { return toupper(c); }

int isdigit_l(int c, void *locale) { return isdigit(c); }
int islower_l(int c, void *locale) { return islower(c); }
int isupper_l(int c, void *locale) { return isupper(c); }
int isalpha_l(int c, void *locale) { return isalpha(c); }
int isalnum_l(int c, void *locale) { return isalnum(c); }
int isspace_l(int c, void *locale) { return isspace(c); }
int isblank_l(int c, void *locale) { return isblank(c); }
int iscntrl_l(int c, void *locale) { return iscntrl(c); }
int isprint_l(int c, void *locale) { return isprint(c); }
int isgraph_l(int c, void *locale) { return isgraph(c); }
int ispunct_l(int c, void *locale) { return ispunct(c); }
int isxdigit_l(int c, void *locale) { return isxdigit(c); }
int tolower_l(int c, void *locale) { return tolower(c); }
int toupper_l(int c, void *locale) { return toupper(c); }
