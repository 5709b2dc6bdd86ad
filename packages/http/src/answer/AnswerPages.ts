import type { AnswerView, BoundView } from "@wcs/domain/answer/AnswerView"
import { detailsOfCard, detailsOfPerson, nameOfDetail } from "@wcs/domain/screening/AnswerEntry"
import type { Refusal } from "@wcs/domain/service/Refusals"
import type { Fault } from "@wcs/domain/shared/SchemaFaults"
import { HttpServerResponse } from "effect/http"
import { type Html, html } from "../Html.ts"
import { page } from "../login/Page.ts"
import { cardFields, consentField, faultSummary, personFields } from "./AnswerFields.ts"
import type { PageWords, Told, Unread } from "./PageWords.ts"
import { dayText, labelOf, problem, type Reader, typeList, typeName } from "./Reader.ts"

/** The steps of the form. Each is the value of the button that was pressed. */
export const steps = ["open", "code", "device", "check", "edit", "send", "leave", "remove", "upload"] as const
export type Step = (typeof steps)[number]

/** A page of a link: the path has a secret, so no other site gets it as the referrer. */
const linkPage = ({ language }: PageWords, title: string, content: Html, status = 200) =>
  HttpServerResponse.setHeader(page(title, content, status, html``, language), "referrer-policy", "no-referrer")

const toldPage = (words: PageWords, { text, title }: Told, status = 200, more: Html = html``) =>
  linkPage(words, title, html`<p>${text}</p>${more}`, status)

const form = (content: Html): Html => html`<form method="post" autocomplete="on">${content}</form>`

const button = (step: Step | "show", text: string): Html => html`<button name="step" value="${step}">${text}</button>`

/** The button that most people press. */
const mainButton = (step: Step, text: string): Html =>
  html`<button class="main" name="step" value="${step}">${text}</button>`

/** One page for every link that is not accepted. It does not tell the reason. */
export const noLinkPage = (words: PageWords) => toldPage(words, words.noLink, 404)

/** The page after the person has left a shared device. */
export const leftPage = (words: PageWords) => toldPage(words, words.left)

/** What was typed, as far as a request can be sent again with it. */
export type Kept = ReadonlyArray<readonly [name: string, value: string]>

/** The page in place of an answer that was refused before or after the form was read. What was typed can be sent again. */
export const unreadPage = (words: PageWords, why: Unread, status: number, kept: Kept = []) => {
  const fields = kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  return toldPage(
    words,
    words.unread[why],
    status,
    kept.length === 0
      ? html`<p><a href="">${words.openAgain}</a></p>`
      : form(html`${fields}<button class="main">${words.sendAgain}</button>`)
  )
}

const firstPage = (reader: Reader, { credentialTypes, until }: Extract<AnswerView, { _tag: "First" }>) => {
  const { organization, words } = reader
  const { asking } = words
  return linkPage(
    words,
    asking.title,
    html`<p>${asking.asks(html`<strong>${organization}</strong>`)}</p>${typeList(credentialTypes)}
<p>${asking.until(dayText(reader, until))} ${asking.effort}</p>
<p>${asking.firstDevice}</p>
${form(mainButton("open", asking.begin))}`
  )
}

/** The page of a device that needs a code. `isAsked`: a code was asked for just now. */
export const foreignPage = (
  { organization, words }: Reader,
  { isAsked, isWrong }: { isAsked: boolean; isWrong: boolean }
) => {
  const { code } = words
  return linkPage(
    words,
    code.title,
    html`${isWrong ? problem(code.wrong) : html``}
<p>${code.other(html`<strong>${organization}</strong>`)}</p>
${
  isAsked || isWrong
    ? html`<p>${code.sent}</p>
${form(html`<label for="code">${code.label}</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required>${mainButton("device", code.go)}`)}`
    : html``
}
${form(isAsked || isWrong ? button("code", code.another) : mainButton("code", code.send))}`,
    isWrong ? 400 : 200
  )
}

const standOf = (
  { organization, words: { stands } }: Reader,
  { reason, state }: Pick<BoundView, "reason" | "state">
): Html => {
  const done = (text: string) => html`<p class="done" role="status">${text}</p>`
  switch (state) {
    case undefined:
      return html``
    case "WAITING":
      return done(stands.waiting(organization))
    case "APPROVING":
      return done(stands.approving(organization))
    case "APPROVED":
      return done(stands.approved(organization))
    case "REJECTED":
      return problem(stands.rejected(organization, reason ?? ""))
  }
}

/** The page of a request that has ended. */
const endedPage = (reader: Reader, view: Extract<AnswerView, { _tag: "Ended" }>) => {
  const { organization, words } = reader
  return linkPage(
    words,
    words.ended.title,
    html`${standOf(reader, view)}<p>${words.ended.text(organization)}</p>
${form(button("leave", words.asking.leave))}`
  )
}

/** The field that says which card a file shows. A single card needs none. */
const cardChoice = ({ words: { files } }: Reader, sent: BoundView["sent"]): Html =>
  sent.length > 1
    ? html`<label for="card">${files.card}</label>
<select id="card" name="card" required><option value="">${files.chooseCard}</option>${sent.map(
        (code) => html`<option lang="en" value="${code}">${typeName(code)}</option>`
      )}</select>`
    : html``

/** A file with the button that takes it back. */
const fileLine = ({ words }: Reader, { id, name }: BoundView["files"][number], card: Html): Html =>
  html`<li>${name}${card}${form(html`<input type="hidden" name="file" value="${id}">
<button name="step" value="remove" aria-label="${words.files.remove}: ${name}">${words.files.remove}</button>`)}</li>`

/** The files of an answer that was sent, and the form for a further one. */
const filesPart = (reader: Reader, { files, sent, state }: BoundView): Html => {
  if (state !== "WAITING") return html``
  const { words } = reader
  const cardName = (card: string | undefined): Html =>
    sent.length > 1 && card !== undefined ? html`: <span lang="en">${typeName(card)}</span>` : html``
  return html`<h2>${words.files.title}</h2>
${files.length === 0 ? html`` : html`<ul>${files.map((file) => fileLine(reader, file, cardName(file.card)))}</ul>`}
<form method="post" enctype="multipart/form-data">
${cardChoice(reader, sent)}
<label for="file">${words.files.label}</label>
<input id="file" name="file" type="file" accept="application/pdf,image/jpeg,image/png,image/heic" required>
${button("upload", words.files.add)}</form>`
}

/** The page after a file was refused, or was missing. */
export const fileRefusedPage = (words: PageWords, refusal: Refusal | undefined) => {
  const { files } = words
  const isClosed = refusal?._tag === "AnswerClosed"
  const told = refusal === undefined ? files.none : files.reason(refusal)
  const reason = isClosed ? files.closed : told
  return linkPage(
    words,
    files.refused,
    html`${problem(reason)}${form(button("show", files.back))}`,
    isClosed ? 409 : 400
  )
}

/** What the person has entered so far, and what is wrong with it. */
export interface Filled {
  readonly faults: ReadonlyArray<Fault>
  readonly hasAgreed: boolean
  /** Whether an approval is being written, so that nothing can be stored now. */
  readonly isClosed: boolean
  /** Whether the answer is only shown: the person is not filling in the form. */
  readonly isShown: boolean
}

export const formPage = (reader: Reader, view: BoundView, { faults, hasAgreed, isClosed, isShown }: Filled) => {
  const { organization, words } = reader
  const { asking, stands } = words
  const asks = html`<p>${asking.asks(html`<strong>${organization}</strong>`)}</p>${typeList(view.credentialTypes)}
${view.message === undefined ? html`` : html`<blockquote>${view.message}</blockquote>`}
<p>${asking.until(dayText(reader, view.until))}</p>`
  const entry =
    form(html`${cardFields(reader, view, faults)}${personFields(reader, view, faults)}${consentField(reader, view, hasAgreed, faults)}
${mainButton("check", asking.check)}`)
  // After an answer the state and the photos matter most, so the form is folded.
  const isDone = isShown && (view.state === "WAITING" || view.state === "APPROVING" || view.state === "APPROVED")
  return linkPage(
    words,
    asking.title,
    html`${isClosed ? problem(stands.closed(organization)) : html``}
${faults.length === 0 ? standOf(reader, view) : faultSummary(reader, faults)}
${
  isDone
    ? html`${filesPart(reader, view)}<details><summary>${asking.correct}</summary>${asks}${entry}</details>`
    : html`${asks}${entry}${filesPart(reader, view)}`
}
<p>${asking.shared}</p>${form(button("leave", asking.leave))}`,
    isClosed ? 409 : faults.length === 0 ? 200 : 400
  )
}

/** The names and labels of everything that the form of these types can have. */
const namesOf = (reader: Reader, codes: ReadonlyArray<string>) => [
  ...codes.flatMap((code) =>
    detailsOfCard(code).map(({ path }) => ({
      name: nameOfDetail(path, code),
      label:
        codes.length === 1
          ? html`${labelOf(reader, path)}`
          : html`<span lang="en">${typeName(code)}</span>: ${labelOf(reader, path)}`
    }))
  ),
  ...detailsOfPerson(codes).map(({ path }) => ({ name: nameOfDetail(path), label: html`${labelOf(reader, path)}` }))
]

/** The page on which the person sees everything once more before sending. Nothing is stored until then. */
export const summaryPage = (reader: Reader, view: BoundView) => {
  const { organization, words } = reader
  const rows = namesOf(reader, view.credentialTypes).flatMap(({ label, name }) => {
    const value = view.entered(name)
    return value === "" ? [] : [{ label, name, value, isDate: /^\d{4}-\d{2}-\d{2}$/.test(value) }]
  })
  return linkPage(
    words,
    words.summary.title,
    html`<dl>${rows.map(
      ({ isDate, label, value }) => html`<dt>${label}</dt><dd>${isDate ? dayText(reader, value) : value}</dd>`
    )}</dl>
<p>${view.notice.consent} (${words.summary.agreed})</p>
${form(html`${rows.map(({ name, value }) => html`<input type="hidden" name="${name}" value="${value}">`)}
<input type="hidden" name="consent" value="${view.noticeKey}">
${mainButton("send", words.summary.send(organization))} ${button("edit", words.summary.change)}`)}`
  )
}

/** The page of a view, as GET shows it. */
export const pageOfView = (reader: Reader, view: AnswerView) => {
  switch (view._tag) {
    case "First":
      return firstPage(reader, view)
    case "Foreign":
      return foreignPage(reader, { isAsked: false, isWrong: false })
    case "Ended":
      return endedPage(reader, view)
    case "Bound":
      return formPage(reader, view, { faults: [], hasAgreed: false, isClosed: false, isShown: true })
  }
}
