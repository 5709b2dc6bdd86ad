import type { Cell } from "@wcs/api/ListTable"
import { Stream } from "effect"
import { html } from "../Html.ts"
import { type FileForm, filtersOf, type Heading, rowsPerPiece, timeOf, titleOf } from "./FileForm.ts"

/** The style of a page to print. */
export const pageStyle = `body{font:10pt/1.4 system-ui,sans-serif;margin:1.5rem;color:#000;background:#fff}h1{font-size:14pt}
table{border-collapse:collapse;width:100%}th,td{border:1px solid #999;padding:.2rem .4rem;text-align:left;
vertical-align:top;overflow-wrap:anywhere}th{background:#eee}tr{break-inside:avoid}@page{size:A4 landscape;margin:12mm}
@media print{body{margin:0}}`

/** Styles only: no script and no request, even if a value contained markup. */
export const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'"

const headingOf = (heading: Heading) => {
  const chosen = filtersOf(heading).map((filter) => html`<li>${filter}</li>`)
  return html`<h1>${titleOf(heading)}</h1>
<p>${heading.organization}. Made by ${heading.madeBy} on ${timeOf(heading)}.</p>
${chosen.length === 0 ? html`<p>All rows, without a filter.</p>` : html`<p>Rows with:</p><ul>${chosen}</ul>`}`
}

const beginOf = (columns: ReadonlyArray<string>, heading: Heading): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="content-security-policy" content="${pagePolicy}">
<title>${titleOf(heading)}</title><style>${{ html: pageStyle }}</style></head>
<body>${headingOf(heading)}
<table><thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead><tbody>
`.html

const rowText = (columns: ReadonlyArray<string>, row: Readonly<Record<string, Cell>>): string =>
  html`<tr>${columns.map((column) => html`<td>${String(row[column] ?? "")}</td>`)}</tr>
`.html

/** The count at the end also shows that the file is complete. */
const endOf = (count: number): string =>
  html`</tbody></table><p>${String(count)} ${count === 1 ? "row" : "rows"}. End of the list.</p></body></html>
`.html

/** A page to print, also of many rows: it has no script, and the names of the columns stand on each sheet. */
export const htmlFile: FileForm = {
  type: "text/html",
  extension: "html",
  bytesOf: <E, R>(
    columns: ReadonlyArray<string>,
    rows: Stream.Stream<Readonly<Record<string, Cell>>, E, R>,
    heading: Heading
  ) => {
    const texts = rows.pipe(
      Stream.rechunk(rowsPerPiece),
      Stream.mapAccumArray(
        () => 0,
        (count, piece) => [count + piece.length, [piece.map((row) => rowText(columns, row)).join("")]] as const,
        { onHalt: (count) => [endOf(count)] }
      )
    )
    return Stream.encodeText(Stream.concat(Stream.succeed(beginOf(columns, heading)), texts))
  }
}
