import * as CredentialType from "@wcs/domain/holding/CredentialType"
import type { Path } from "@wcs/domain/shared/Json"
import { type Html, html } from "../Html.ts"
import type { PageWords } from "./PageWords.ts"

/** Who reads a page: in these words, about this organization. */
export interface Reader {
  readonly words: PageWords
  readonly organization: string
}

export const problem = (text: string): Html => html`<p class="problem" role="alert">${text}</p>`

/** The name of a type of card. Registers have English names, in every language of the page. */
export const typeName = (code: string): string => CredentialType.find(code)?.displayName ?? code

export const typeList = (codes: ReadonlyArray<string>): Html =>
  html`<ul lang="en">${codes.map((code) => html`<li>${typeName(code)}</li>`)}</ul>`

export const dayText = ({ words: { dates } }: Reader, day: string): string =>
  new Intl.DateTimeFormat(dates, { dateStyle: "long", timeZone: "UTC" }).format(new Date(`${day}T00:00:00Z`))

/** The label of a detail. */
export const labelOf = ({ words: { labels } }: Reader, path: Path): string => labels[path.join(".")] ?? path.join(" ")
