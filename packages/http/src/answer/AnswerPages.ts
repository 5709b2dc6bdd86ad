import type { AnswerView, BoundView } from "@wcs/domain/answer/AnswerPage"
import * as CredentialType from "@wcs/domain/holding/CredentialType"
import { type Detail, detailsOfCard, detailsOfPerson, nameOfDetail } from "@wcs/domain/screening/AnswerEntry"
import type { Path } from "@wcs/domain/shared/Json"
import type { Fault } from "@wcs/domain/shared/SchemaFaults"
import { HttpServerResponse } from "effect/http"
import { type Html, html } from "../Html.ts"
import { page } from "../login/Page.ts"

/** The steps of the form. Each is the value of the button that was pressed. */
export const steps = ["open", "code", "device", "check", "edit", "send", "leave", "upload"] as const
export type Step = (typeof steps)[number]

/** A page of a link: the path has a secret, so no other site gets it as the referrer. */
const linkPage = (title: string, content: Html, status = 200) =>
  HttpServerResponse.setHeader(page(title, content, status), "referrer-policy", "no-referrer")

const form = (content: Html): Html => html`<form method="post" autocomplete="on">${content}</form>`

const button = (step: Step | "show", text: string): Html => html`<button name="step" value="${step}">${text}</button>`

const problem = (text: string): Html => html`<p class="problem" role="alert">${text}</p>`

/** One page for every link that is not accepted. It does not tell the reason. */
export const noLinkPage = linkPage(
  "This link is not valid",
  html`<p>The link is incomplete or has ended. Ask the organization that sent it for a new one.</p>`,
  404
)

/** The page after the person has left a shared device. */
export const leftPage = linkPage(
  "You have left this page",
  html`<p>This device no longer shows what you entered. To go on, open the link again: it asks for a code.</p>`
)

export const tooManyPage = (retryAfterSeconds: number) =>
  HttpServerResponse.setHeader(
    linkPage("Too many requests", html`<p>Wait a minute, then open the link again.</p>`, 429),
    "retry-after",
    String(retryAfterSeconds)
  )

const typeName = (code: string): string => CredentialType.find(code)?.displayName ?? code

const typeList = (codes: ReadonlyArray<string>): Html =>
  html`<ul>${codes.map((code) => html`<li>${typeName(code)}</li>`)}</ul>`

const dayText = (day: string): string =>
  new Intl.DateTimeFormat("en-AU", { dateStyle: "long", timeZone: "UTC" }).format(new Date(`${day}T00:00:00Z`))

const firstPage = (organization: string, { credentialTypes, until }: Extract<AnswerView, { _tag: "First" }>) =>
  linkPage(
    "Details of your cards",
    html`<p><strong>${organization}</strong> asks you for the details of:</p>${typeList(credentialTypes)}
<p>You can answer until ${dayText(until)}. It takes about two minutes. Have your card at hand.</p>
<p>The link then works on this device only. On another device it needs a code.</p>
${form(button("open", "Begin"))}`
  )

/** The page of a device that needs a code. `isAsked`: a code was asked for just now. */
export const foreignPage = (organization: string, { isAsked, isWrong }: { isAsked: boolean; isWrong: boolean }) =>
  linkPage(
    "Enter a code",
    html`${isWrong ? problem("The code is wrong or has expired.") : html``}
<p>This link of <strong>${organization}</strong> was opened on another device before. If that was not you, tell
${organization}. After you have entered the code, the link works on this device only.</p>
${
  isAsked || isWrong
    ? html`<p>If a code could be sent, it is in a second message to you. It is valid for 15 minutes.</p>
${form(html`<label for="code">Code</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required>${button("device", "Continue")}`)}`
    : html``
}
${form(button("code", isAsked || isWrong ? "Send another code" : "Send me a code"))}`,
    isWrong ? 400 : 200
  )

/** How a detail is shown. */
interface Shown {
  readonly label: string
  readonly attributes: Html
  readonly hint?: (code: string) => string | undefined
}

const formHint = (code: string): string | undefined => CredentialType.find(code)?.identifier?.form

const shownDetails: Readonly<Record<string, Shown>> = {
  "holder.firstName": {
    label: "First name, as on the card",
    attributes: html`autocomplete="given-name" maxlength="100"`
  },
  "holder.lastName": {
    label: "Family name, as on the card",
    attributes: html`autocomplete="family-name" maxlength="100"`
  },
  "holder.birthDate": { label: "Date of birth", attributes: html`type="date" autocomplete="bday"` },
  identifier: {
    label: "Number of the card",
    attributes: html`autocomplete="off" spellcheck="false" maxlength="100"`,
    hint: formHint
  },
  issueNumber: { label: "Issue number", attributes: html`autocomplete="off" maxlength="40"` },
  issuingCountry: {
    label: "Country of issue",
    attributes: html`autocomplete="off" maxlength="2"`,
    hint: () => "two capital letters, such as NZ"
  },
  expiryDate: { label: "Last valid day on the card", attributes: html`type="date" autocomplete="off"` }
}

const shownOf = (path: Path): Shown => shownDetails[path.join(".")] ?? { label: path.join(" "), attributes: html`` }

/** A field of the form, with its fault. */
const field = (
  { isRequired, path }: Detail,
  { entered }: BoundView,
  faults: ReadonlyArray<Fault>,
  code?: string,
  mayBeEmpty = false
): Html => {
  const name = nameOfDetail(path, code)
  const { attributes, hint, label } = shownOf(path)
  const fault = faults.find(({ field }) => field === name)
  const help = code === undefined ? undefined : hint?.(code)
  const optional = isRequired ? "" : " (if the card shows one)"
  const described = [help === undefined ? "" : `${name}-hint`, fault === undefined ? "" : `${name}-fault`]
    .filter((id) => id !== "")
    .join(" ")
  return html`<label for="${name}">${label}${optional}</label>
${help === undefined ? html`` : html`<p class="hint" id="${name}-hint">${help}</p>`}
${fault === undefined ? html`` : html`<p class="problem" id="${name}-fault">This ${fault.reason}.</p>`}
<input id="${name}" name="${name}" value="${entered(name)}" ${attributes}${
    isRequired && !mayBeEmpty ? html` required` : html``
  }${fault === undefined ? html`` : html` aria-invalid="true"`}${
    described === "" ? html`` : html` aria-describedby="${described}"`
  }>`
}

const labelOf = ({ field }: Fault): string => {
  const [first = "", ...rest] = field.split(".")
  const isOfCard = CredentialType.find(first) !== undefined
  const { label } = shownOf(isOfCard ? rest : [first, ...rest])
  return isOfCard ? `${typeName(first)}: ${label}` : label
}

const faultSummary = (faults: ReadonlyArray<Fault>): Html => {
  if (faults.length === 0) return html``
  const lineOf = (fault: Fault): Html => {
    if (fault.field === "") return html`<li>Enter the details of at least one card.</li>`
    if (fault.field === "consent") return html`<li><a href="#consent">Your consent ${fault.reason}.</a></li>`
    return html`<li><a href="#${fault.field}">${labelOf(fault)} ${fault.reason}.</a></li>`
  }
  return html`<div class="problem" role="alert"><p>Please look at this:</p><ul>${faults.map(lineOf)}</ul></div>`
}

const consentField = (view: BoundView, hasAgreed: boolean, faults: ReadonlyArray<Fault>): Html => html`
<h2>How your details are used</h2>${view.notice.paragraphs.map((text) => html`<p>${text}</p>`)}
<label class="choice" for="consent"><input id="consent" name="consent" type="checkbox" value="${view.noticeKey}" required${
  hasAgreed ? html` checked` : html``
}${faults.some(({ field }) => field === "consent") ? html` aria-invalid="true"` : html``}> ${view.notice.consent}</label>`

const cardFields = (view: BoundView, faults: ReadonlyArray<Fault>): Html => {
  const { credentialTypes } = view
  const isChoice = credentialTypes.length > 1
  return html`${isChoice ? html`<p>Fill in the cards that you have. Leave the others empty.</p>` : html``}
${credentialTypes.map(
  (code) => html`<fieldset><legend>${typeName(code)}</legend>
${detailsOfCard(code).map((detail) => field(detail, view, faults, code, isChoice))}</fieldset>`
)}`
}

const personFields = (view: BoundView, faults: ReadonlyArray<Fault>): Html => {
  const details = detailsOfPerson(view.credentialTypes)
  if (details.length === 0) return html``
  return html`<fieldset><legend>You</legend>${details.map((detail) => field(detail, view, faults, undefined, view.credentialTypes.length > 1))}</fieldset>`
}

const standOf = (organization: string, { reason, state }: Pick<BoundView, "reason" | "state">): Html => {
  switch (state) {
    case undefined:
      return html``
    case "WAITING":
      return html`<p class="done" role="status">Your answer was sent. ${organization} looks at it. Until then you can correct it here.</p>`
    case "APPROVING":
      return html`<p class="done" role="status">${organization} is taking over your answer.</p>`
    case "APPROVED":
      return html`<p class="done" role="status">${organization} has accepted your answer. You need not do anything more.</p>`
    case "REJECTED":
      return problem(`${organization} could not accept your answer: ${reason ?? ""}`)
  }
}

/** The page of a request that has ended. */
const endedPage = (organization: string, view: Extract<AnswerView, { _tag: "Ended" }>) =>
  linkPage(
    "This request has ended",
    html`${standOf(organization, view)}<p>${organization} does not ask you for anything more here.</p>
${form(button("leave", "I am done on this device"))}`
  )

/** The files of an answer that was sent, and the form for a further one. */
const filesPart = ({ files, state }: BoundView): Html => {
  if (state !== "WAITING") return html``
  return html`<h2>Photos and scans</h2>
${files.length === 0 ? html`` : html`<ul>${files.map((name) => html`<li>${name}</li>`)}</ul>`}
<form method="post" enctype="multipart/form-data">
<label for="file">Add a photo or a scan of a card (PDF, JPEG, PNG or HEIC, at most 10 MB)</label>
<input id="file" name="file" type="file" accept="application/pdf,image/jpeg,image/png,image/heic" required>
${button("upload", "Add the file")}</form>`
}

/** The page after a file was refused. */
export const fileRefusedPage = (reason: string) =>
  linkPage("The file was not added", html`${problem(reason)}${form(button("show", "Back"))}`, 400)

/** What the person has entered so far, and what is wrong with it. */
export interface Filled {
  readonly faults: ReadonlyArray<Fault>
  readonly hasAgreed: boolean
  /** Whether an approval is being written, so that nothing can be stored now. */
  readonly isClosed: boolean
}

export const formPage = (organization: string, view: BoundView, { faults, hasAgreed, isClosed }: Filled) =>
  linkPage(
    "Details of your cards",
    html`${isClosed ? problem(`This was not stored: ${organization} is deciding on your answer now. Try again in a minute.`) : html``}
${faults.length === 0 ? standOf(organization, view) : faultSummary(faults)}
<p><strong>${organization}</strong> asks you for the details of:</p>${typeList(view.credentialTypes)}
${view.message === undefined ? html`` : html`<blockquote>${view.message}</blockquote>`}
<p>You can answer until ${dayText(view.until)}.</p>
${form(html`${cardFields(view, faults)}${personFields(view, faults)}${consentField(view, hasAgreed, faults)}
${button("check", "Check and continue")}`)}
${filesPart(view)}
<p>Do others use this device? Leave this page when you are done.</p>${form(button("leave", "I am done on this device"))}`,
    isClosed ? 409 : faults.length === 0 ? 200 : 400
  )

/** The names and labels of everything that the form of these types can have. */
const namesOf = (codes: ReadonlyArray<string>) => [
  ...codes.flatMap((code) =>
    detailsOfCard(code).map(({ path }) => ({
      name: nameOfDetail(path, code),
      label: codes.length === 1 ? shownOf(path).label : `${typeName(code)}: ${shownOf(path).label}`
    }))
  ),
  ...detailsOfPerson(codes).map(({ path }) => ({ name: nameOfDetail(path), label: shownOf(path).label }))
]

/** The page on which the person sees everything once more before sending. Nothing is stored until then. */
export const summaryPage = (organization: string, view: BoundView) => {
  const rows = namesOf(view.credentialTypes).flatMap(({ label, name }) => {
    const value = view.entered(name)
    return value === "" ? [] : [{ label, name, value, isDate: /^\d{4}-\d{2}-\d{2}$/.test(value) }]
  })
  return linkPage(
    "Is everything right?",
    html`<dl>${rows.map(({ isDate, label, value }) => html`<dt>${label}</dt><dd>${isDate ? dayText(value) : value}</dd>`)}</dl>
<p>${view.notice.consent} (You have agreed.)</p>
${form(html`${rows.map(({ name, value }) => html`<input type="hidden" name="${name}" value="${value}">`)}
<input type="hidden" name="consent" value="${view.noticeKey}">
${button("send", `Send to ${organization}`)} ${button("edit", "Change something")}`)}`
  )
}

/** The page of a view, as GET shows it. */
export const pageOfView = (organization: string, view: AnswerView) => {
  switch (view._tag) {
    case "First":
      return firstPage(organization, view)
    case "Foreign":
      return foreignPage(organization, { isAsked: false, isWrong: false })
    case "Ended":
      return endedPage(organization, view)
    case "Bound":
      return formPage(organization, view, { faults: [], hasAgreed: false, isClosed: false })
  }
}
