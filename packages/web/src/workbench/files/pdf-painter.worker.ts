// pdf.js draws pages here, so that a page that takes long does not hold up ours.

// oxlint-disable-next-line import/no-unassigned-import -- It answers messages by itself.
import "pdfjs-dist/legacy/build/pdf.renderer.min.mjs";
