import { describe, expect, it } from "vitest";
import { pdfFacts } from "./pdf-facts.ts";

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(text, (char) => char.charCodeAt(0));

const deflated = async (text: string): Promise<Uint8Array<ArrayBuffer>> => {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

const TREE =
  "2 0 obj\n<< /Kids [3 0 R 4 0 R] /Resources << /Font << /F1 9 0 R >> >> /Type /Pages /Count 12 >>\nendobj\n" +
  "3 0 obj << /Type /Pages /Parent 2 0 R /Count 5 /Kids [] >> endobj\n";

describe("a PDF without a viewer", () => {
  it("tells version and pages of the whole tree, not of a part of it", async () => {
    expect(await pdfFacts(bytesOf(`%PDF-1.4\n${TREE}trailer << /Root 1 0 R >>`))).toEqual({
      ...{ version: "1.4", pages: 12, encrypted: false, hasScripts: false },
    });
  });

  it("reads compressed objects, and says what is encrypted and what has scripts", async () => {
    const objects = await deflated(
      "2 0 5 80 << /Type /Pages /Count 7 /Kids [] >> << /S /JavaScript /JS (app.alert(1)) >>",
    );
    const head = `%PDF-1.7\n9 0 obj << /Type /ObjStm /N 2 /Filter /FlateDecode /Length ${objects.length} >>\nstream\r\n`;
    const tail = "\r\nendstream endobj\ntrailer << /Encrypt 4 0 R >>";
    const file = new Uint8Array([...bytesOf(head), ...objects, ...bytesOf(tail)]);
    expect(await pdfFacts(file)).toEqual({ version: "1.7", pages: 7, encrypted: true, hasScripts: true });
  });

  it("takes anything, and says only what it knows", async () => {
    const hostile = [
      "",
      "%PDF-1.7\n/Type /Pages /Count 3",
      `%PDF-1.7 ${"<<".repeat(50_000)} /Type /Pages`,
      "%PDF-1.7 << /Type /ObjStm >> stream\nnot deflated\nendstream",
      "/ObjStm ".repeat(20_000),
    ];
    for (const text of hostile)
      expect(await pdfFacts(bytesOf(text))).toMatchObject({ encrypted: false, hasScripts: false });
  });
});
