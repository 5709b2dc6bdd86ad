import type { BoundView } from "@wcs/domain/answer/AnswerView"
import * as CredentialType from "@wcs/domain/holding/CredentialType"
import { type Detail, detailsOfCard, detailsOfPerson, nameOfDetail } from "@wcs/domain/screening/AnswerEntry"
import type { Path } from "@wcs/domain/shared/Json"
import type { Fault } from "@wcs/domain/shared/SchemaFaults"
import { type Html, html } from "../Html.ts"
import { labelOf, type Reader, typeName } from "./Reader.ts"

/** The attributes of the field of each detail, by its path. */
const attributesBy: Readonly<Record<string, Html>> = {
  "holder.firstName": html`autocomplete="given-name" maxlength="100"`,
  "holder.lastName": html`autocomplete="family-name" maxlength="100"`,
  "holder.birthDate": html`type="date" autocomplete="bday"`,
  identifier: html`autocomplete="off" spellcheck="false" maxlength="100"`,
  issueNumber: html`autocomplete="off" maxlength="40"`,
  issuingCountry: html`autocomplete="off" autocapitalize="characters" maxlength="2"`,
  expiryDate: html`type="date" autocomplete="off"`
}

/** What helps with a detail of a card. The form of a number is in the words of its register. */
const hintOf = ({ words }: Reader, path: Path, code: string): Html | undefined => {
  const name = path.join(".")
  if (name === "issuingCountry") return html`${words.country}`
  const form = name === "identifier" ? CredentialType.find(code)?.identifier?.form : undefined
  return form === undefined ? undefined : html`<span lang="en">${form}</span>`
}

/** A field of the form, with its fault. */
const field = (
  reader: Reader,
  { isRequired, path }: Detail,
  { entered }: BoundView,
  faults: ReadonlyArray<Fault>,
  code?: string,
  mayBeEmpty = false
): Html => {
  const { words } = reader
  const name = nameOfDetail(path, code)
  const fault = faults.find(({ field }) => field === name)
  const hint = code === undefined ? undefined : hintOf(reader, path, code)
  const optional = isRequired ? "" : ` (${words.ifShown})`
  const described = [hint === undefined ? "" : `${name}-hint`, fault === undefined ? "" : `${name}-fault`]
    .filter((id) => id !== "")
    .join(" ")
  const told = fault === undefined ? "" : words.beside(words.reason(path.join("."), fault.reason))
  return html`<label for="${name}">${labelOf(reader, path)}${optional}</label>
${hint === undefined ? html`` : html`<p class="hint" id="${name}-hint">${hint}</p>`}
${fault === undefined ? html`` : html`<p class="problem" id="${name}-fault">${told}</p>`}
<input id="${name}" name="${name}" value="${entered(name)}" ${attributesBy[path.join(".")] ?? html``}${
    isRequired && !mayBeEmpty ? html` required` : html``
  }${fault === undefined ? html`` : html` aria-invalid="true"`}${
    described === "" ? html`` : html` aria-describedby="${described}"`
  }>`
}

/** The label and the path of a detail, by the name of its field. */
const placeOf = (reader: Reader, { field }: Fault) => {
  const [first = "", ...rest] = field.split(".")
  const isOfCard = CredentialType.find(first) !== undefined
  const path = isOfCard ? rest : [first, ...rest]
  const label = labelOf(reader, path)
  const ofCard = html`<span lang="en">${typeName(first)}</span>: ${label}`
  return { path: path.join("."), label: isOfCard ? ofCard : html`${label}` }
}

/** Every fault, each with a link to its field. */
export const faultSummary = (reader: Reader, faults: ReadonlyArray<Fault>): Html => {
  if (faults.length === 0) return html``
  const { words } = reader
  const lineOf = (fault: Fault): Html => {
    const { label, path } = placeOf(reader, fault)
    const reason = words.reason(path, fault.reason)
    if (fault.field === "") return html`<li>${reason}.</li>`
    if (fault.field === "consent") return html`<li><a href="#consent">${words.faults.consent} ${reason}.</a></li>`
    return html`<li><a href="#${fault.field}">${label} ${reason}.</a></li>`
  }
  return html`<div class="problem" role="alert"><p>${words.faults.title}</p><ul>${faults.map(lineOf)}</ul></div>`
}

export const consentField = (
  { words }: Reader,
  view: BoundView,
  hasAgreed: boolean,
  faults: ReadonlyArray<Fault>
): Html => html`
<h2>${words.consentTitle}</h2>${view.notice.paragraphs.map((text) => html`<p>${text}</p>`)}
<label class="choice" for="consent"><input id="consent" name="consent" type="checkbox" value="${view.noticeKey}" required${
  hasAgreed ? html` checked` : html``
}${faults.some(({ field }) => field === "consent") ? html` aria-invalid="true"` : html``}> <span>${view.notice.consent}</span></label>`

export const cardFields = (reader: Reader, view: BoundView, faults: ReadonlyArray<Fault>): Html => {
  const { credentialTypes } = view
  const isChoice = credentialTypes.length > 1
  return html`${isChoice ? html`<p>${reader.words.asking.choose}</p>` : html``}
${credentialTypes.map(
  (code) => html`<fieldset><legend lang="en">${typeName(code)}</legend>
${detailsOfCard(code).map((detail) => field(reader, detail, view, faults, code, isChoice))}</fieldset>`
)}`
}

export const personFields = (reader: Reader, view: BoundView, faults: ReadonlyArray<Fault>): Html => {
  const details = detailsOfPerson(view.credentialTypes)
  if (details.length === 0) return html``
  const isChoice = view.credentialTypes.length > 1
  return html`<fieldset><legend>${reader.words.asking.you}</legend>${details.map((detail) =>
    field(reader, detail, view, faults, undefined, isChoice)
  )}</fieldset>`
}
