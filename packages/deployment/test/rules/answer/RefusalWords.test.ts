import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, credential, textAt, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { basic, login, person, send } from "../legacy/LegacySurface.ts"
import { type Row, run } from "../Row.ts"

const sentinel = "S3cr3t-V4lue"

const owner = '{ "type": "worker" or "applicant", "id": "…" }'
const [to, from] = [`"to": ${owner}`, `"from": ${owner}`]

// `DocumentedConstraints.test.ts` reads the refusal of every field and parameter, and `Examples.test.ts` those of the
// token endpoint. These are whole texts.
layer(layerService(), { excludeTestServices: true })("messages of refusals", (it) => {
  it.effect("ENV-05, OWN-01, BLK-01: name every wrong field, the form, the condition, and the shapes of a body", () =>
    Effect.gen(function* () {
      const id = yield* worker()
      const held = yield* credential({ worker: id })
      const wrong = {
        identity: { firstName: 7, birthDate: "2026-02-30", otherNames: ["Ann", "", 7] },
        contact: "none",
        employment: { status: "GONE" },
        source: { externalId: "x".repeat(201) }
      }
      const many = { identity: { displayName: "Ann", otherNames: Array.from({ length: 4000 }, () => 7) } }
      const types = { requestedCredentialTypes: ["WWCC_NSW"] }
      const refused = (call: string, body: unknown, ...messages: ReadonlyArray<string>): Row => ({
        call,
        ...(body === undefined ? {} : { body }),
        expect: `INVALID_ARGUMENT: ${messages.join(" ")}`
      })
      const shapes = (...forms: ReadonlyArray<string>) => `The body must be ${forms.join(" or ")}.`
      const rows = [
        refused(
          "POST /workers",
          wrong,
          "identity.displayName is required: a string of 1 to 200 characters.",
          "identity.firstName must be a string of 1 to 100 characters.",
          "identity.otherNames.1 must not be empty.",
          "identity.otherNames.2 must be a string of 1 to 200 characters.",
          "identity.birthDate must be a date that exists, YYYY-MM-DD.",
          "contact must be an object.",
          "employment.status must be one of ACTIVE, INACTIVE, ON_LEAVE, TERMINATED.",
          "source.externalId must have at most 200 characters."
        ),
        refused("POST /workers", many, "More fields are invalid."),
        refused("POST /workers", sentinel, "The body must be an object."),
        refused(
          `PATCH /workers/${id}`,
          { identity: { displayName: null }, contact: [] },
          "identity.displayName is required: a string of 1 to 200 characters. contact must be an object."
        ),
        refused(`POST /credentials/${held}/link`, {}, shapes(owner, `{ ${to} }`)),
        refused(`POST /credentials/${held}/unlink`, [], shapes(owner, `{ ${from} }`)),
        refused(`POST /credentials/${held}/transfer`, { to: 7 }, shapes(`{ ${from}, ${to} }`)),
        refused("POST /credentials/link", {}, shapes(`{ ${to}, "credentialIds": [ … ] }`, `{ ${to}, ${from} }`)),
        refused("POST /credentials/transfer", { type: "bird" }, `{ ${from}, ${to} }`),
        refused(
          `POST /credentials/${held}/link`,
          { to: { type: "worker" } },
          `to.id is required: the owner's id, wkr_ or app_ and 16 letters or digits. ${shapes(owner, `{ ${to} }`)}`
        ),
        refused(
          "POST /fetch-requests",
          types,
          "worker.id is required: wkr_ and 16 letters or digits, unless externalId is given."
        ),
        refused(
          "POST /fetch-requests/bulk",
          types,
          'workers is required: an array, each item { "id": "…" } or { "externalId": "…" }.'
        ),
        refused(
          `GET /credentials?ownerId=${id}`,
          undefined,
          "ownerType must be worker or applicant when ownerId is given."
        ),
        refused(
          "GET /workers?sort=nonsense",
          undefined,
          "sort must be field:asc or field:desc.",
          "Possible fields: createdAt, updatedAt, id, displayName, lastName, externalId."
        )
      ]
      const answers = yield* run(rows)
      assert.lengthOf(textAt(answers[1] ?? assert.fail(), "error.message").match(/otherNames\.\d+ must be/g) ?? [], 20)
    })
  )

  it.effect("LEG-12: name the schemes of a legacy call, and every wrong field, the first in `field`", () =>
    Effect.gen(function* () {
      const someone = yield* person()
      const { bearer } = yield* login(someone)
      const schemes = (accepted: string) =>
        `Authentication is missing or not valid. This call accepts ${accepted} authentication.`
      for (const [method, path, authorization, message] of [
        ["GET", "/users/me", undefined, schemes("Basic or Bearer")],
        ["POST", "/users/1/token", undefined, schemes("Basic")],
        ["GET", "/organizations/me", undefined, schemes("Bearer")],
        ["GET", "/constituents", basic(someone), schemes("Bearer")],
        ["DELETE", "/constituents", undefined, "There is nothing at this path for this method."],
        ["GET", `/constituents?page=${sentinel}`, bearer, "page must be an integer of at least 1."]
      ] as const) {
        assert.strictEqual(textAt(yield* send(method, path, authorization), "message"), message)
      }
      const answer = yield* send("POST", "/scan", bearer, { body: { type: sentinel, identifier: 7, surname: null } })
      assert.deepStrictEqual([answer.status, at(answer, "field")], [400, "type"])
      assert.strictEqual(
        textAt(answer, "message"),
        [
          "type must be a code of the catalogue, such as WWCC_NSW or wwcc-nsw.",
          "identifier must be a string of 1 to 100 characters.",
          "first_name is required: a string of 1 to 100 characters.",
          "surname must be a string of 1 to 100 characters."
        ].join(" ")
      )
    })
  )
})
