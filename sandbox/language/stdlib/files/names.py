"""The part of the catalog that is about files: modules with the names that can be granted."""

FILES = """
errno:
    E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF EBADFD
    EBADMSG EBADR EBADRQC EBADSLT EBFONT EBUSY ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED
    ECONNREFUSED ECONNRESET EDEADLK EDEADLOCK EDESTADDRREQ EDOM EDOTDOT EDQUOT EEXIST EFAULT
    EFBIG EHOSTDOWN EHOSTUNREACH EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN EISDIR EISNAM
    EKEYEXPIRED EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC ELIBBAD ELIBEXEC
    ELIBMAX ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG
    ENAVAIL ENETDOWN ENETRESET ENETUNREACH ENFILE ENOANO ENOBUFS ENOCSI ENODATA ENODEV ENOENT
    ENOEXEC ENOKEY ENOLCK ENOLINK ENOMEDIUM ENOMEM ENOMSG ENONET ENOPKG ENOPROTOOPT ENOSPC ENOSR
    ENOSTR ENOSYS ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTNAM ENOTRECOVERABLE ENOTSOCK ENOTSUP
    ENOTTY ENOTUNIQ ENXIO EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM EPFNOSUPPORT EPIPE EPROTO
    EPROTONOSUPPORT EPROTOTYPE ERANGE EREMCHG EREMOTE EREMOTEIO ERESTART ERFKILL EROFS ESHUTDOWN
    ESOCKTNOSUPPORT ESPIPE ESRCH ESRMNT ESTALE ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY
    EUCLEAN EUNATCH EUSERS EWOULDBLOCK EXDEV EXFULL errorcode
glob:
    escape glob has_magic iglob
importlib:
    import_module invalidate_caches reload
os:
    F_OK O_APPEND O_CLOEXEC O_CREAT O_EXCL O_RDONLY O_RDWR O_TRUNC O_WRONLY PathLike R_OK SEEK_CUR
    SEEK_END SEEK_SET W_OK X_OK _exit access altsep chdir chmod chown chroot close cpu_count curdir
    defpath devnull environ error extsep fdatasync fdopen fsdecode fsencode fspath fstat fsync
    ftruncate getcwd getcwdb getenv getpid isatty lchown linesep link listdir lseek lstat makedirs
    mkdir mkfifo mknod name open pardir pathsep read readlink remove removedirs rename renames
    replace rmdir scandir sep stat strerror symlink truncate umask unlink urandom utime walk
    write
os.path:
    abspath altsep basename commonpath commonprefix curdir defpath devnull dirname exists
    expanduser expandvars extsep getatime getctime getmtime getsize isabs isdir isfile isjunction
    islink ismount join lexists normcase normpath pardir pathsep realpath relpath samefile samestat
    sep split splitdrive splitext splitroot supports_unicode_filenames
pathlib:
    Path PosixPath PurePath PurePosixPath UnsupportedOperation
shutil:
    Error SameFileError copy copy2 copyfile copyfileobj copymode copystat copytree disk_usage
    get_terminal_size ignore_patterns move rmtree which
stat:
    ST_ATIME ST_CTIME ST_DEV ST_GID ST_INO ST_MODE ST_MTIME ST_NLINK ST_SIZE ST_UID S_ENFMT
    S_IEXEC S_IFBLK S_IFCHR S_IFDIR S_IFDOOR S_IFIFO S_IFLNK S_IFMT S_IFPORT S_IFREG S_IFSOCK
    S_IFWHT S_IMODE S_IREAD S_IRGRP S_IROTH S_IRUSR S_IRWXG S_IRWXO S_IRWXU S_ISBLK S_ISCHR
    S_ISDIR S_ISDOOR S_ISFIFO S_ISGID S_ISLNK S_ISPORT S_ISREG S_ISSOCK S_ISUID S_ISVTX S_ISWHT
    S_IWGRP S_IWOTH S_IWRITE S_IWUSR S_IXGRP S_IXOTH S_IXUSR filemode
tempfile:
    NamedTemporaryFile SpooledTemporaryFile TemporaryDirectory TemporaryFile gettempdir
    gettempprefix mkdtemp mkstemp mktemp tempdir
"""
