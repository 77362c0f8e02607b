// The files of html/ as text; the build makes html_assets.cc of them.
#ifndef TOOLS_VIEWS_HTML_ASSETS_H_
#define TOOLS_VIEWS_HTML_ASSETS_H_

namespace xla {

extern const char kViewerHtml[];
extern const char kViewerCss[];
extern const char kViewerScript[];

}  // namespace xla

#endif  // TOOLS_VIEWS_HTML_ASSETS_H_
