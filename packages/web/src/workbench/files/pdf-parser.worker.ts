// pdf.js reads files here. The policy of this script lets it load nothing but parts of itself.

// oxlint-disable-next-line import/no-unassigned-import -- It answers messages by itself.
import "pdfjs-dist/legacy/build/pdf.worker.min.mjs";
