"""Links of the pages that lead to files of the repository lead to its host."""

import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown, page, config, files):
    def absolute(match):
        path, anchor = match.group(1), match.group(2) or ""
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), path))
        if "://" in path or files.get_file_from_path(target):
            return match.group(0)
        kind = "tree" if (ROOT / target).is_dir() else "blob"
        return f"]({config.repo_url.rstrip('/')}/{kind}/main/{target}{anchor})"

    return LINK.sub(absolute, markdown)
