import type { Request } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import * as Answering from "../../Answering.ts"
import type { Mutant } from "../../Mutant.ts"
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

/** Check and set without atomicity. */
const windowMutants: ReadonlyArray<Mutant> = [
  {
    name: "link-checks-the-slot-and-sets-it-later",
    stores: checkingBeforehand(({ action }) => action === "link"),
    kills: [{ rule: "OWN-17", kind: "status", at: "status" }],
    alsoKills: ["OWN-19", "OWN-23"]
  },
  {
    name: "link-of-an-applicant-checks-the-slot-and-sets-it-later",
    stores: checkingBeforehand((seen) => seen.action === "link" && changes(seen, "applicant")),
    kills: [{ rule: "OWN-17", kind: "status", at: "status" }],
    alsoKills: ["OWN-19", "OWN-23"]
  },
  {
    name: "unlink-looks-for-another-owner-and-goes-later",
    stores: checkingBeforehand(({ action }) => action === "unlink"),
    kills: [
      { rule: "OWN-18", kind: "missing", at: owners },
      { rule: "OWN-23", kind: "missing", at: owners }
    ],
    alsoKills: ["OWN-19"]
  },
  {
    name: "transfer-checks-the-holder-and-moves-later",
    stores: checkingBeforehand(({ action }) => action === "transfer"),
    kills: [
      { rule: "OWN-23", kind: "wrong-value", at: owners },
      { rule: "OWN-19", kind: "wrong-value", at: "history" }
    ]
  }
]

const single = (action: string): Rewrite.Where => ({
  method: "POST",
  path: new RegExp(`^/credentials/cred_[^/]+/(?:${action})$`)
})

/** Wrong answers without lost updates. */
const answerMutants: ReadonlyArray<Mutant> = [
  {
    name: "links-at-once-conflict-with-the-code-of-transfer",
    rewrite: whileAnother(
      single("link"),
      Rewrite.answers(
        { status: 409 },
        Rewrite.mapJson((body) => Rewrite.put(body, "error.code", "OWNER_MISMATCH"))
      )
    ),
    kills: [{ rule: "OWN-17", kind: "wrong-value", at: "body.error.code" }]
  },
  {
    name: "links-at-once-are-invalid-arguments",
    rewrite: whileAnother(
      single("link"),
      Rewrite.answers({ status: 409 }, (answer) =>
        Answering.refusal(answer, 400, "INVALID_ARGUMENT", "Another request was faster.")
      )
    ),
    kills: [{ rule: "OWN-17", kind: "status", at: "status" }]
  },
  {
    name: "the-second-of-two-links-at-once-is-told-that-it-won",
    rewrite: whileAnother(
      single("link"),
      (serve) => (request) =>
        Effect.flatMap(serve(request), (answer) =>
          answer.status === 409 ? lookOf(serve, request) : Effect.succeed(answer)
        )
    ),
    kills: [
      { rule: "OWN-17", kind: "status", at: "status" },
      { rule: "OWN-23", kind: "wrong-value", at: owners }
    ],
    alsoKills: ["OWN-19"]
  },
  {
    name: "a-call-beside-another-one-is-a-conflict",
    rewrite: whileAnother(
      single("unlink|transfer"),
      (serve) => (request) =>
        Effect.map(serve({ ...request, method: "GET", url: request.url.replace(/\/[^/]*$/, ""), body: "" }), (answer) =>
          Answering.refusal(answer, 409, "OWNER_MISMATCH", "Another request was faster.")
        )
    ),
    kills: [{ rule: "OWN-19", kind: "wrong-value", at: "history" }]
  }
]

/** Defects that only concurrent calls show. */
export const ownershipRaceMutants: ReadonlyArray<Mutant> = [...windowMutants, ...answerMutants]
