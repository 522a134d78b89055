/* Runs a program in a console whose code page is 866, and writes into OUT what that shows afterwards, in UTF-8, after a line with the
 * code page. usage: console OUT COMMAND-LINE */
#include <stdio.h>
#include <windows.h>

enum { PAGE = 866, CELLS = 4000 };

int main(int argc, char **argv)
{
    static WCHAR cells[CELLS];
    static char text[4 * CELLS];
    STARTUPINFOW startup = {sizeof startup};
    PROCESS_INFORMATION child;
    COORD start = {0, 0};
    DWORD count = 0;
    int bytes, words = 0;
    LPWSTR *arguments = CommandLineToArgvW(GetCommandLineW(), &words);
    FILE *out;
    if (argc != 3 || words != 3 || !SetConsoleOutputCP(PAGE)) return 2;
    if (!CreateProcessW(NULL, arguments[2], NULL, NULL, TRUE, 0, NULL, NULL, &startup, &child)) return 3;
    WaitForSingleObject(child.hProcess, INFINITE);
    if (!ReadConsoleOutputCharacterW(GetStdHandle(STD_OUTPUT_HANDLE), cells, CELLS, start, &count)) return 4;
    bytes = WideCharToMultiByte(CP_UTF8, 0, cells, (int)count, text, sizeof text, NULL, NULL);
    out = fopen(argv[1], "wb");
    if (!out) return 5;
    fprintf(out, "%u\n", GetConsoleOutputCP());
    fwrite(text, 1, (size_t)bytes, out);
    return fclose(out);
}
