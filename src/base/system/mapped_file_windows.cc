#include "base/system/mapped_file.h"

#include <io.h>
#include <windows.h>

#include "base/system/process.h"

namespace acutance {

std::shared_ptr<MappedFile> MappedFile::Map(int file, size_t bytes) {
  const auto handle = reinterpret_cast<HANDLE>(::_get_osfhandle(file));
  FILE_REMOTE_PROTOCOL_INFO remote{};
  // A page that a server does not deliver would end the process.
  if (!IsMainProgram() || bytes == 0 ||
      ::GetFileInformationByHandleEx(handle, FileRemoteProtocolInfo, &remote, sizeof remote))
    return nullptr;
  const HANDLE mapping = ::CreateFileMappingW(handle, nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (!mapping) return nullptr;
  const void* const memory = ::MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, bytes);
  ::CloseHandle(mapping);  // the view holds it
  if (!memory) return nullptr;
  return std::shared_ptr<MappedFile>(new MappedFile({static_cast<const std::byte*>(memory), bytes}, 0));
}

MappedFile::~MappedFile() { ::UnmapViewOfFile(bytes_.data()); }

void MappedFile::Release(std::span<const std::byte> bytes) const {
  // Of memory that is not locked, this call takes the pages out of the working set.
  ::VirtualUnlock(const_cast<std::byte*>(bytes.data()), bytes.size());
}

bool MappedFile::lost_pages() const { return slot_ != 0; }

}  // namespace acutance
