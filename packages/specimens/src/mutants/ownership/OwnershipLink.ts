import { at } from "@wcs/conformance/wire/Json"
import { AlreadyLinked } from "@wcs/domain/ownership/Ownership"
import { ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import { Effect } from "effect"
import * as Answering from "../../Answering.ts"
import type { Mutant } from "../../Mutant.ts"
import {
  because,
  deciding,
  into,
  losing,
  otherSlot,
  withSlot,
  writingWhatIsRefused
} from "../../seams/OwnershipSeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Seams from "../../seams/Seams.ts"

const link = { method: "POST", path: /^\/credentials\/cred_[^/]+\/link$/ }

/** The kills of a defect in every link's status. */
const statusOfEveryLink: Mutant["kills"] = [
  { rule: "OWN-01", kind: "status", at: "status" },
  { rule: "OWN-02", kind: "status", at: "status" },
  { rule: "OWN-03", kind: "status", at: "status" }
]

/** Links into an empty slot. */
const linkMutants: ReadonlyArray<Mutant> = [
  {
    name: "link-answers-201",
    rewrite: Rewrite.answers({ ...link, status: 200 }, (answer) => ({ ...answer, status: 201 })),
    kills: statusOfEveryLink
  },
  {
    name: "link-of-a-worker-is-lost",
    stores: losing(({ action, changes }) => action === "link" && [...changes.values()].some(({ worker }) => worker)),
    kills: [{ rule: "OWN-01", kind: "wrong-value", at: "body.data.attributes.owners.worker" }]
  },
  {
    name: "link-of-a-worker-supersedes-the-applicant",
    rules: deciding((owners, command) =>
      command._tag === "Link" && command.to.type === "worker" && owners.worker === null
        ? into({ worker: command.to.id, applicant: null })
        : undefined
    ),
    kills: [{ rule: "OWN-01", kind: "wrong-value", at: "body.data.attributes.owners.applicant" }]
  },
  {
    name: "link-of-an-applicant-supersedes-the-worker",
    rules: deciding((owners, command) =>
      command._tag === "Link" && command.to.type === "applicant" && owners.applicant === null
        ? into({ worker: null, applicant: command.to.id })
        : undefined
    ),
    kills: [{ rule: "OWN-02", kind: "wrong-value", at: "body.data.attributes.owners.worker" }]
  },
  {
    name: "link-beside-another-owner-is-lost",
    stores: losing(({ action, found }) => action === "link" && found.some(({ owners }) => owners.worker !== null)),
    kills: [{ rule: "OWN-02", kind: "wrong-value", at: "body.data.attributes.owners.applicant" }]
  }
]

/** Refuses a link, with the headers of a read of the credential. */
const refusing = (where: Rewrite.Where, status: number, code: string) =>
  Rewrite.instead({ ...link, ...where }, (request, serve) =>
    Effect.map(serve({ ...request, method: "GET", url: request.url.replace(/\/link$/, ""), body: "" }), (answer) =>
      Answering.refusal(answer, status, code, "The link is refused.")
    )
  )

/** Valid links that are refused. */
const refusedMutants: ReadonlyArray<Mutant> = [
  {
    name: "link-of-a-worker-is-an-invalid-argument",
    rewrite: refusing({ body: /wkr_/ }, 400, "INVALID_ARGUMENT"),
    kills: [
      { rule: "OWN-01", kind: "status", at: "status" },
      { rule: "OWN-03", kind: "status", at: "status" }
    ]
  },
  {
    name: "link-of-an-applicant-is-unprocessable",
    rewrite: refusing({ body: /app_/ }, 422, "UNPROCESSABLE"),
    kills: [{ rule: "OWN-02", kind: "status", at: "status" }]
  },
  {
    name: "link-of-the-holder-is-an-invalid-argument",
    rewrite: Rewrite.instead({ ...link, body: /wkr_/ }, (request, serve) => {
      const reading = { ...request, method: "GET", url: request.url.replace(/\/link$/, ""), body: "" }
      const [id = "?"] = /wkr_\w+/.exec(request.body) ?? []
      return Effect.flatMap(serve(reading), (answer) =>
        at(answer.json, "data.attributes.owners.worker") === id
          ? Effect.succeed(Answering.refusal(answer, 400, "INVALID_ARGUMENT", "The owner is already linked."))
          : serve(request)
      )
    }),
    kills: [{ rule: "OWN-03", kind: "status", at: "status" }]
  },
  {
    name: "link-is-forbidden-to-everybody",
    rewrite: refusing({}, 403, "FORBIDDEN"),
    kills: statusOfEveryLink
  },
  {
    name: "link-breaks-down",
    rewrite: refusing({}, 500, "INTERNAL"),
    kills: statusOfEveryLink
  }
]

/** Links of the current owner. */
const repeatedMutants: ReadonlyArray<Mutant> = [
  {
    name: "link-of-the-holder-is-a-conflict",
    rules: deciding((owners, command) =>
      command._tag === "Link" && owners[command.to.type] === command.to.id
        ? because(new AlreadyLinked({ slot: command.to.type, holder: command.to.id, advice: "transfer" }))
        : undefined
    ),
    kills: [{ rule: "OWN-03", kind: "status", at: "status" }],
    alsoKills: ["OWN-15"]
  },
  {
    name: "link-of-the-holder-takes-it-out",
    rules: deciding((owners, command) =>
      command._tag === "Link" && owners[command.to.type] === command.to.id
        ? into(withSlot(owners, command.to.type, null))
        : undefined
    ),
    kills: [{ rule: "OWN-03", kind: "changed", at: "body.data.attributes.owners.worker" }],
    alsoKills: ["OWN-15"]
  },
  {
    name: "link-of-the-holding-applicant-is-a-conflict",
    rules: deciding((owners, command) =>
      command._tag === "Link" && command.to.type === "applicant" && owners.applicant === command.to.id
        ? because(new AlreadyLinked({ slot: "applicant", holder: command.to.id, advice: "transfer" }))
        : undefined
    ),
    kills: [{ rule: "OWN-15", kind: "status", at: "status" }]
  },
  {
    name: "link-of-the-holding-applicant-clears-the-worker",
    rules: deciding((owners, command) =>
      command._tag === "Link" && command.to.type === "applicant" && owners.applicant === command.to.id
        ? into(withSlot(owners, otherSlot(command.to.type), null))
        : undefined
    ),
    kills: [{ rule: "OWN-15", kind: "changed", at: "body.data.attributes.owners.worker" }]
  }
]

/** Links of another owner into a full slot. */
const conflictMutants: ReadonlyArray<Mutant> = [
  {
    name: "link-overwrites-the-holder",
    rules: deciding((owners, command) =>
      command._tag === "Link" ? into(withSlot(owners, command.to.type, command.to.id)) : undefined
    ),
    kills: [{ rule: "OWN-04", kind: "status", at: "status" }]
  },
  {
    name: "link-overwrites-an-applicant",
    rules: deciding((owners, command) =>
      command._tag === "Link" && command.to.type === "applicant"
        ? into({ ...owners, applicant: command.to.id })
        : undefined
    ),
    kills: [{ rule: "OWN-04", kind: "status", at: "status" }]
  },
  {
    name: "link-refuses-and-overwrites-the-holder",
    stores: writingWhatIsRefused((refusal, owners, entering) =>
      refusal instanceof AlreadyLinked && entering !== undefined
        ? withSlot(owners, entering.type, entering.id)
        : undefined
    ),
    kills: [{ rule: "OWN-04", kind: "changed", at: "body.data.attributes.owners.worker" }]
  },
  {
    name: "link-conflict-has-the-code-of-transfer",
    rewrite: Rewrite.answers(
      { ...link, status: 409 },
      Rewrite.mapJson((body) => Rewrite.put(body, "error.code", "OWNER_MISMATCH"))
    ),
    kills: [{ rule: "OWN-04", kind: "wrong-value", at: "body.error.code" }]
  },
  {
    name: "link-conflict-is-an-invalid-argument",
    rules: Seams.rules(ErrorCodes, ({ codeOf }) => ({
      codeOf: (tag) => (tag === "AlreadyLinked" ? "INVALID_ARGUMENT" : codeOf(tag))
    })),
    kills: [{ rule: "OWN-04", kind: "status", at: "status" }]
  },
  {
    name: "link-conflict-gives-no-advice",
    rewrite: Rewrite.answers(
      { ...link, status: 409 },
      Rewrite.mapJson((body) => Rewrite.put(body, "error.message", "The slot has another owner."))
    ),
    kills: [{ rule: "OWN-05", kind: "wrong-value", at: "body.error.message" }]
  }
]

/** Defects of links of one credential. */
export const ownershipLinkMutants: ReadonlyArray<Mutant> = [
  ...linkMutants,
  ...refusedMutants,
  ...repeatedMutants,
  ...conflictMutants
]
