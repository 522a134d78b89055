/* Runs a program whose standard input is a pipe with the first bytes of a file, interrupts it while it waits for more, and prints
 * its exit status and how many milliseconds it took to end into OUT. usage: interrupt FILE BYTES OUT COMMAND-LINE
 * Wine cannot cancel the reads of a pipe that its system made, so that the pipe must be of Windows. It needs a console. */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

enum { START = 3000, MOST = 20000, BYTES = 1 << 16 };

int main(int argc, char **argv)
{
    static char bytes[BYTES];
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
    STARTUPINFOA startup = {sizeof startup};
    PROCESS_INFORMATION child;
    HANDLE reader, writer;
    DWORD written, status = 0, sent;
    FILE *file = argc == 5 ? fopen(argv[1], "rb") : NULL, *out;
    size_t count = file ? fread(bytes, 1, (size_t)atoi(argv[2]), file) : 0;
    if (!count || !CreatePipe(&reader, &writer, &inherited, 0)) return 2;
    SetHandleInformation(writer, HANDLE_FLAG_INHERIT, 0);
    startup.dwFlags = STARTF_USESTDHANDLES;
    startup.hStdInput = reader;
    startup.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
    startup.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    if (!CreateProcessA(NULL, argv[4], NULL, NULL, TRUE, 0, NULL, NULL, &startup, &child)) return 3;
    CloseHandle(reader);
    if (!WriteFile(writer, bytes, (DWORD)count, &written, NULL)) return 4;
    if (WaitForSingleObject(child.hProcess, START) != WAIT_TIMEOUT) return 5;
    sent = GetTickCount();
    SetConsoleCtrlHandler(NULL, TRUE); /* this program continues */
    if (!GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0)) return 6;
    if (WaitForSingleObject(child.hProcess, MOST) != WAIT_OBJECT_0) {
        TerminateProcess(child.hProcess, 1);
        return 7;
    }
    GetExitCodeProcess(child.hProcess, &status);
    out = fopen(argv[3], "w");
    if (!out) return 8;
    fprintf(out, "%lu %lu\n", status, GetTickCount() - sent);
    return fclose(out);
}
