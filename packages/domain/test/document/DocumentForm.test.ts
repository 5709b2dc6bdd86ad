import { assert, describe, it } from "@effect/vitest"
import { documentLimits } from "@wcs/domain/document/Document"
import { type DocumentForm, formOf, makeInspection, pixelsMax } from "@wcs/domain/document/DocumentForm"
import { Result } from "effect"
import * as fc from "fast-check"

const ascii = (text: string): ReadonlyArray<number> => [...text].map((letter) => letter.charCodeAt(0))
const big = (value: number, size: 2 | 4): ReadonlyArray<number> =>
  Array.from({ length: size }, (_, index) => Math.floor(value / 256 ** (size - 1 - index)) % 256)
const join = (...parts: ReadonlyArray<ReadonlyArray<number>>): Uint8Array => Uint8Array.from(parts.flat())
const zeros = (count: number): ReadonlyArray<number> => Array<number>(count).fill(0)

const pdfText = "%PDF-1.7\n1 0 obj <<>> endobj\nstartxref\n9\n%%EOF\n"
const pdf = join(ascii(pdfText))

const chunk = (type: string, content: ReadonlyArray<number>) => [
  ...big(content.length, 4),
  ...ascii(type),
  ...content,
  ...zeros(4)
]
const png = (width: number, height: number, ...chunks: ReadonlyArray<ReadonlyArray<number>>): Uint8Array =>
  join(
    [0x89, ...ascii("PNG\r\n"), 0x1a, 0x0a],
    chunk("IHDR", [...big(width, 4), ...big(height, 4), 8, 2, 0, 0, 0]),
    ...chunks,
    chunk("IEND", [])
  )
const image = png(640, 480, chunk("IDAT", zeros(3000)))

const segment = (marker: number, content: ReadonlyArray<number>) => [
  ...[0xff, marker],
  ...big(content.length + 2, 2),
  ...content
]
const frame = (width: number, height: number) => segment(0xc2, [8, ...big(height, 2), ...big(width, 2), 3])
const scan = [...segment(0xda, [1, 1, 0, 0, 63, 0]), ...zeros(200), 0xff, 0x00, 0xff, 0xd0, ...zeros(90)]
const jpegOf = (...parts: ReadonlyArray<ReadonlyArray<number>>) => join([0xff, 0xd8], ...parts)
const jpeg = jpegOf(segment(0xe1, ascii("Exif")), frame(640, 480), scan, [0xff, 0xd9])

const box = (type: string, content: ReadonlyArray<number>) => [
  ...big(content.length + 8, 4),
  ...ascii(type),
  ...content
]
const heicOf = (brand: string, ...boxes: ReadonlyArray<ReadonlyArray<number>>) =>
  join(box("ftyp", [...ascii(brand), ...zeros(4), ...ascii("mif1heic")]), ...boxes)
const size = (width: number, height: number) => box("ispe", [...zeros(4), ...big(width, 4), ...big(height, 4)])
const properties = (...boxes: ReadonlyArray<ReadonlyArray<number>>) => box("iprp", box("ipco", boxes.flat()))
const metaOf = (...boxes: ReadonlyArray<ReadonlyArray<number>>) => box("meta", [...zeros(4), ...boxes.flat()])
const meta = metaOf(
  box("hdlr", zeros(25)),
  properties(box("hvcC", zeros(9)), size(320, 240), size(640, 480)),
  box("iloc", [])
)
const heic = heicOf("heic", meta, box("mdat", zeros(500)))

const longBox = (type: string, content: ReadonlyArray<number>) => [
  ...[...big(1, 4), ...ascii(type), ...zeros(4)],
  ...[...big(content.length + 16, 4), ...content]
]

const zipEnd = (comment: string) => [...ascii("PK\u0005\u0006"), ...zeros(16), ...big(0, 2), ...ascii(comment)]
const zip = join(ascii("PK\u0003\u0004"), zeros(100), zipEnd(""))

/** The form that an inspection finds, or why it refuses. */
const formIn = (file: Uint8Array, pieceBytes = documentLimits.pieceBytes): DocumentForm | string => {
  const { add, end } = makeInspection()
  for (let at = 0; at < file.length; at += pieceBytes) {
    const added = add(file.subarray(at, at + pieceBytes))
    if (Result.isFailure(added)) return added.failure.reason
  }
  const ended = end()
  return Result.isFailure(ended) ? ended.failure.reason : ended.success.form
}

const without = (file: Uint8Array, bytes: number) => file.subarray(0, file.length - bytes)
const other = /^must be a PDF/
const whole = /^is no whole/

describe("threat 86: the form of a document", () => {
  it("is found by its content", () => {
    for (const [form, file] of Object.entries({ PDF: pdf, JPEG: jpeg, PNG: image, HEIC: heic })) {
      assert.strictEqual(formIn(file), form)
    }
    assert.strictEqual(formIn(heicOf("mif1", meta, [...zeros(4), ...ascii("mdat"), 7])), "HEIC")
    assert.strictEqual(formIn(jpegOf(frame(8, 8), scan, [0xff, 0xd9], ascii("a film that a phone adds"))), "JPEG")
  })

  const refused: ReadonlyArray<readonly [string, Uint8Array, RegExp]> = [
    ["an empty file", new Uint8Array(), /empty/],
    ["SVG", join(ascii('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')), other],
    ["HTML", join(ascii("<!doctype html><script>alert(1)</script>")), other],
    ["HTML in front of a PDF", join(ascii("<script>alert(1)</script>"), [...pdf]), other],
    ["a PDF of no version", join(ascii("%PDF-x.y\nstartxref\n%%EOF")), other],
    ["a program", join(ascii("MZ"), zeros(100)), other],
    ["a ZIP file", zip, other],
    ["an Office file of the old kind", join([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]), other],
    ["a GIF", join(ascii("GIF89a"), zeros(100)), other],
    ["a film", join(box("ftyp", [...ascii("isom"), ...zeros(4), ...ascii("mp42")]), box("meta", [])), other],
    ["a PDF and a ZIP file in one", join([...pdf], zeros(9), [...zip].slice(104)), /also a ZIP/],
    ["a JPEG and a ZIP file in one", join([...jpeg], [...zip]), /also a ZIP/],
    [
      "a JPEG and a ZIP file whose comment is the rest",
      join([...jpeg], [...zip].slice(0, -2), [3, 0], [1, 2, 3]),
      /ZIP/
    ],
    ["a PDF, a ZIP file and bytes behind it", join([...pdf], zipEnd(""), ascii("\nstartxref %%EOF")), /also a ZIP/],
    ["a PNG with a second size", png(9000, 9000, chunk("IHDR", [...big(1, 4), ...big(1, 4), 8, 2, 0, 0, 0])), whole],
    ["a PNG with an empty second size", png(9000, 9000, chunk("IHDR", [])), whole],
    ["a JPEG with a second frame", jpegOf(frame(9000, 9000), frame(1, 1), scan, [0xff, 0xd9]), whole],
    ["a JPEG with a short frame", jpegOf([0xff, 0xc0, 0, 3, 8, 0, 9, 0, 9], scan, [0xff, 0xd9]), whole],
    ["an AVIF", join(box("ftyp", [...ascii("avif"), ...zeros(4), ...ascii("mif1miaf")]), box("meta", zeros(9))), other],
    ["a PNG and a ZIP file in one", join([...image], [...zip]), whole],
    ["a HEIC and a ZIP file in one", join([...heic], [...zip]), whole],
    ["a PDF that is cut off", without(pdf, 8), whole],
    ["a PDF without its last lines", join(ascii("%PDF-1.4\n"), zeros(2000)), whole],
    ["a JPEG that is cut off", without(jpeg, 2), whole],
    ["a JPEG without a frame", jpegOf(scan, [0xff, 0xd9]), whole],
    ["a JPEG without a scan", jpegOf(frame(8, 8), [0xff, 0xd9]), whole],
    ["a JPEG of zero height", jpegOf(frame(8, 0), scan, [0xff, 0xd9]), whole],
    ["a PNG that is cut off", without(image, 5), whole],
    ["a PNG without pixels", png(0, 480), whole],
    ["a PNG whose chunk is longer than the file", png(8, 8, [...big(2 ** 31, 4), ...ascii("IDAT")]), whole],
    ["a HEIC that is cut off", without(heic, 5), whole],
    ["a HEIC without a description", heicOf("heic", box("mdat", zeros(9))), whole],
    ["a HEIC without a size", heicOf("heic", metaOf(properties(box("hvcC", [])))), whole],
    ["a HEIC of no height", heicOf("heic", metaOf(properties(size(8, 0)))), whole],
    [
      "a HEIC of too many pixels",
      heicOf("heic", metaOf(properties(size(8, 8), size(20_000, 20_000)))),
      /million pixels/
    ],
    ["a HEIC with a size in a long box", heicOf("heic", metaOf(size(8, 8), longBox("ispe", zeros(12)))), whole],
    [
      "a HEIC whose inner box is longer than the outer one",
      heicOf("heic", metaOf(size(8, 8), [...big(99, 4), ...ascii("free")]), zeros(99)),
      whole
    ],
    ["a HEIC whose outer box is longer than the file", heicOf("heic", [...big(400, 4), ...meta.slice(4)]), whole],
    ["a HEIC with a box of no size", heicOf("heic", meta, [...big(4, 4), ...ascii("free")]), whole],
    ["a PNG of many parts", png(8, 8, ...Array.from({ length: 20_001 }, () => chunk("tEXt", []))), whole],
    ["a PNG of too many pixels", png(pixelsMax, 2), /million pixels/],
    ["a JPEG of too many pixels", jpegOf(frame(65_535, 65_535), scan, [0xff, 0xd9]), /million pixels/]
  ]
  for (const [name, file, reason] of refused) {
    it(`is refused for ${name}`, () => {
      assert.match(formIn(file), reason)
    })
  }

  it("does not depend on how the file was cut into pieces", () => {
    const files = fc.constantFrom(pdf, jpeg, image, heic, zip, jpegOf(frame(8, 8), scan), without(image, 1))
    fc.assert(
      fc.property(files, fc.integer({ min: 64, max: 400 }), (file, pieceBytes) => {
        assert.strictEqual(formIn(file, pieceBytes), formIn(file))
      })
    )
  })

  it("is some form or a reason for any bytes, and looks at a file of 10 MiB once", () => {
    const start = fc.constantFrom<ReadonlyArray<number>>([], [...pdf], [...image], [...jpeg], [...heic].slice(0, 24))
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 500 }), (first, rest) => {
        assert.isString(formIn(join(first, [...rest]), 64))
      })
    )
    const long = new Uint8Array(documentLimits.bytes)
    long.set(jpegOf(frame(8, 8), scan))
    long.set([0xff, 0xd9], long.length - 2)
    assert.strictEqual(formIn(long), "JPEG")
    assert.isUndefined(formOf(new Uint8Array(16)))
  })
})
