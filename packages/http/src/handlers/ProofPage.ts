import type { Proof } from "@wcs/domain/proof/ProofFile"
import { noneJudged, type Proofs } from "@wcs/domain/proof/Proofs"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { type Html, html } from "../Html.ts"
import { pagePolicy, pageStyle } from "../pipeline/HtmlFile.ts"
import { formWanted } from "../pipeline/ListFiles.ts"
import { type OfOne, one } from "./CollectionHandlers.ts"

const cell = (value: string | null | undefined): string => value ?? "–"

const yesNo = (isSealed: boolean): string => (isSealed ? "sealed" : "not all sealed in time")

const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): Html =>
  html`<table><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>
${rows.map((row) => html`<tr>${row.map((value) => html`<td>${value}</td>`)}</tr>`)}</tbody></table>`

const timeIn = (timeZone: string, time: string): string =>
  new Intl.DateTimeFormat("en-AU", { dateStyle: "long", timeStyle: "medium", timeZone }).format(new Date(time))

/** Writes the page. Every value is text: the page has no script and loads nothing. */
/** Why a proof has no compliance checks. */
const noChecks = ({ erasedAt, remarks }: Proof): string => {
  if (erasedAt !== null) return "The records of the person were erased, so no check can be computed."
  return remarks.includes(noneJudged) ? noneJudged : "No compliance check was enabled."
}

const pageOf = (proof: Proof): string => {
  const { cards, checks, entries, erasedAt, exemptions, keys, people, records, seals, timeZone } = proof
  const names = new Map(people.map(({ account, name }) => [account, name]))
  const nameOf = (account: string): string => `${names.get(account) ?? account} (${account})`
  const [first] = cards
  const decisions = cards.flatMap(({ credentialType, decision, isSealed }) =>
    decision === null ? [] : [{ ...decision, credentialType, isSealed }]
  )
  const title = `${first?.displayName ?? proof.workerId} on ${proof.day}`
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="content-security-policy" content="${pagePolicy}">
<title>${title}</title><style>${{ html: pageStyle }}</style></head><body>
<h1>${title}</h1>
<p>${proof.organization}. As known at ${timeIn(timeZone, proof.asOf)} (${timeZone}). Made for ${nameOf(proof.madeBy)} at
${timeIn(timeZone, proof.madeAt)}. Worker ${proof.workerId}.</p>
${erasedAt === null ? html`` : html`<p><strong>This person was erased on ${timeIn(timeZone, erasedAt)}.</strong></p>`}
${proof.remarks.map((remark) => html`<p>${remark}</p>`)}
<h2>Compliance checks</h2>
${
  checks.length === 0
    ? html`<p>${noChecks(proof)}</p>`
    : table(
        ["Check", "Result", "Why", "Seal"],
        checks.map((check) => [
          check.displayName,
          check.result,
          [
            ...check.missingCredentialTypes.map((type) => `without a valid ${type}`),
            ...check.failingCredentials.map(
              ({ credentialType, expiryDate, since, statusDetail }) =>
                `${credentialType}: ${statusDetail} ${since ?? expiryDate ?? ""}`
            ),
            ...check.reviews.map(({ credentialType, statusDetail }) => `${credentialType}: review of ${statusDetail}`),
            ...check.bans.map(({ eligibility, id }) => `ban ${id}: ${eligibility}`)
          ].join("; "),
          yesNo(check.isSealed)
        ])
      )
}
<h2>Cards</h2>
${table(
  ["Name and birth date", "Card", "Verified on", "Outcome", "Expires", "Paid or voluntary", "Seal"],
  cards.map((card) => [
    `${card.displayName}, ${cell(card.birthDate)}`,
    card.credentialType === null ? "no card" : `${card.credentialType} ${cell(card.identifier)}`,
    cell(card.verifiedOn),
    `${cell(card.eligibility)} ${card.statusDetail ?? ""}`,
    cell(card.expiryDate),
    cell(card.engagement),
    yesNo(card.isSealed)
  ])
)}
<h2>Decisions in force</h2>
${
  decisions.length === 0
    ? html`<p>None.</p>`
    : table(
        ["Card", "Outcome", "About", "Reason", "Decided by", "Decided at", "Ends on", "Seal"],
        decisions.map((decision) => [
          ...[decision.credentialType ?? "", decision.outcome, decision.about.join(", "), decision.reason],
          ...[nameOf(decision.account), timeIn(timeZone, decision.decidedAt), decision.endsOn],
          yesNo(decision.isSealed)
        ])
      )
}
<h2>Exemptions in force</h2>
${
  exemptions.length === 0
    ? html`<p>None.</p>`
    : table(
        ["Kind", "For", "From", "Until", "Granted by", "Reason", "Seal"],
        exemptions.map((exemption) => [
          ...[exemption.exemptionType, exemption.exemptedCredentialTypes.join(", "), cell(exemption.issueDate)],
          ...[cell(exemption.expiryDate), cell(exemption.grantedBy), cell(exemption.reason)],
          yesNo(exemption.isSealed)
        ])
      )
}
<h2>Records</h2>
${table(
  ["Record", "Version", "Changed", "Seal"],
  records.map(({ coverage, id, kind, seal, updatedAt, version }) => [
    ...[`${kind} ${id}`, String(version), timeIn(timeZone, new Date(updatedAt).toISOString())],
    {
      SEALED: `seal ${seal}`,
      SEALED_LATER: `seal ${seal}, made later`,
      PENDING: "not sealed yet",
      NOT_SEALED: "not sealed"
    }[coverage]
  ])
)}
<h2>Audit entries</h2>
${
  entries.length === 0
    ? html`<p>None in this proof.</p>`
    : table(
        ["Entry", "Action", "Record", "By", "At", "Seal"],
        entries.map(({ entry, seal }) => [
          ...[entry.id, entry.action, `${entry.entityType} ${entry.entityId}`, nameOf(entry.account)],
          ...[timeIn(timeZone, new Date(entry.at).toISOString()), seal === null ? "not sealed yet" : `seal ${seal}`]
        ])
      )
}
<h2>Seals</h2>
${
  seals.length === 0
    ? html`<p>None.</p>`
    : table(
        ["Seal", "Made at", "Hash of its entries"],
        seals.map(({ seal }) => [
          String(seal.number),
          timeIn(timeZone, new Date(seal.sealedAt).toISOString()),
          seal.entriesHash
        ])
      )
}
<p>Keys of the service: ${keys.map(({ kid }) => kid ?? "").join(", ")}</p>
<h2>What this shows</h2><ul>${proof.proves.map((text) => html`<li>${text}</li>`)}</ul>
<h2>What it does not show</h2><ul>${proof.doesNotProve.map((text) => html`<li>${text}</li>`)}</ul>
<p>A printed page can be forged. The file of the same call (<code>Accept: application/json</code>) can be checked by
<code>wcs audit verify --file</code>.</p>
</body></html>
`.html
}

/** Answers a proof as JSON, or as a page to print if the caller prefers HTML. */
export const proofHandler =
  ({ read }: Proofs["Service"]) =>
  (call: OfOne) => {
    call.headers["vary"] = "accept"
    const isPage = formWanted(call)?.extension === "html"
    return Effect.map(read(call.params.id, call.query), (proof) =>
      isPage
        ? HttpServerResponse.text(pageOf(proof), {
            contentType: "text/html; charset=utf-8",
            headers: { "content-disposition": `attachment; filename="proof-${proof.workerId}-${proof.day}.html"` }
          })
        : one(call, { document: proof })
    )
  }
