import type { Request } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import * as Answering from "../../Answering.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
import type { Serve } from "../../Serve.ts"
import { checkingBeforehand, type Seen } from "../../seams/OwnershipSeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"

const owners = "body.data.attributes.owners"

/** Whether a transition changes a slot of the first credential. */
const changes = ({ changes: made, found }: Seen, slot: "worker" | "applicant"): boolean =>
  found.some(({ id, owners: before }) => made.has(id) && made.get(id)?.[slot] !== before[slot])

/** Changes calls on a credential while another call on it is in flight. */
const whileAnother =
  (where: Rewrite.Where, serveInstead: (serve: Serve) => Serve) =>
  (serve: Serve): Serve => {
    const underWay = new Map<string, number>()
    const credentialOf = (path: string): string => path.split("/")[2] ?? ""
    return Rewrite.instead(where, (request) =>
      Effect.suspend(() => {
        const credential = credentialOf(Rewrite.pathOf(request))
        const others = underWay.get(credential) ?? 0
        underWay.set(credential, others + 1)
        const over = Effect.sync(() => underWay.set(credential, (underWay.get(credential) ?? 1) - 1))
        return Effect.ensuring(others === 0 ? serve(request) : serveInstead(serve)(request), over)
      })
    )(serve)
  }

/** A read of the credential of a call. */
const lookOf = (serve: Serve, request: Request) =>
  serve({ ...request, method: "GET", url: request.url.replace(/\/[^/]*$/, ""), body: "" })

const single = (action: string): Rewrite.Where => ({
  method: "POST",
  path: new RegExp(`^/credentials/cred_[^/]+/(?:${action})$`)
})

/** Defects that only concurrent calls show. */
export const ownershipRaceMutants: ReadonlyArray<Mutant> = [
  // Check and set without atomicity.
  mutant("link-checks-the-slot-and-sets-it-later", "OWN-17 status", { alsoKills: ["OWN-19", "OWN-23"] }).stores(
    checkingBeforehand(({ action }) => action === "link")
  ),
  mutant("link-of-an-applicant-checks-the-slot-and-sets-it-later", "OWN-17 status", {
    alsoKills: ["OWN-19", "OWN-23"]
  }).stores(checkingBeforehand((seen) => seen.action === "link" && changes(seen, "applicant"))),
  mutant(
    "unlink-looks-for-another-owner-and-goes-later",
    [`OWN-18 missing at ${owners}`, `OWN-23 missing at ${owners}`],
    { alsoKills: ["OWN-19"] }
  ).stores(checkingBeforehand(({ action }) => action === "unlink")),
  mutant("transfer-checks-the-holder-and-moves-later", [
    `OWN-23 wrong-value at ${owners}`,
    "OWN-19 wrong-value at history"
  ]).stores(checkingBeforehand(({ action }) => action === "transfer")), // Wrong answers without lost updates.
  mutant("links-at-once-conflict-with-the-code-of-transfer", "OWN-17 wrong-value at body.error.code").rewrite(
    whileAnother(single("link"), Rewrite.answers({ status: 409 }, Rewrite.field("error.code", "OWNER_MISMATCH")))
  ),
  mutant("links-at-once-are-invalid-arguments", "OWN-17 status").rewrite(
    whileAnother(
      single("link"),
      Rewrite.answers({ status: 409 }, (answer) =>
        Answering.refusal(answer, 400, "INVALID_ARGUMENT", "Another request was faster.")
      )
    )
  ),
  mutant("the-second-of-two-links-at-once-is-told-that-it-won", ["OWN-17 status", `OWN-23 wrong-value at ${owners}`], {
    alsoKills: ["OWN-19"]
  }).rewrite(
    whileAnother(
      single("link"),
      (serve) => (request) =>
        Effect.flatMap(serve(request), (answer) =>
          answer.status === 409 ? lookOf(serve, request) : Effect.succeed(answer)
        )
    )
  ),
  mutant("a-call-beside-another-one-is-a-conflict", "OWN-19 wrong-value at history").rewrite(
    whileAnother(
      single("unlink|transfer"),
      (serve) => (request) =>
        Effect.map(serve({ ...request, method: "GET", url: request.url.replace(/\/[^/]*$/, ""), body: "" }), (answer) =>
          Answering.refusal(answer, 409, "OWNER_MISMATCH", "Another request was faster.")
        )
    )
  )
]
