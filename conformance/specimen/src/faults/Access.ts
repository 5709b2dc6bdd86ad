import {
  at,
  cross,
  each,
  endpoints,
  type Fault,
  hasBody,
  hasId,
  isCreate,
  isDelete,
  isList,
  isSingle,
  isUpdate,
  row,
  rows,
  some
} from "./Rows.ts"

const all = endpoints()
const answering = endpoints(({ method }) => method !== "DELETE")
const lists = endpoints(isList)
const singles = endpoints(isSingle)
const creates = endpoints(isCreate)
const updates = endpoints(isUpdate)
const deletes = endpoints(isDelete)
const actions = ["link", "unlink", "transfer", "verify"].map((action) => `POST /credentials/{id}/${action}`)
const batches = ["POST /credentials/link", "POST /credentials/transfer"]

const bearer: ReadonlyArray<Fault> = [
  ...rows("AUT-01 status", "no Authorization is accepted", at(all, 10)),
  ...rows("AUT-01 status", "a 401 is 403", at(all, 4, 3, { cause: "none" })),
  ...rows("AUT-02 status", "a token without its prefix is accepted", at(all, 5, 1)),
  ...rows("AUT-02 status", "Basic is accepted", at(all, 5, 2)),
  ...rows("AUT-02 status", "another scheme is accepted", at(all, 3, 4)),
  ...rows(
    "AUT-03 status",
    "a form of the prefix is refused",
    cross(each("form", ["bearer", "BEARER", "mixed"]), at(all, 3, 5))
  ),
  ...rows(
    "AUT-03 status",
    "a form of the prefix is refused",
    each("form", ["bearer", "BEARER", "mixed"], { kind: "personal" })
  ),
  ...["no JWT", "cut", "another payload", "another signature", "no signature"].flatMap((flaw, index) =>
    rows("AUT-04 status", "a malformed token is accepted", at(all, 3, index * 3, { flaw }))
  ),
  ...rows("AUT-05 status", "an expired token is accepted", at(all, 6, 2)),
  ...["none", "expired", "revoked", "bare token", "no JWT", "another payload", "scheme basic"].flatMap((cause, index) =>
    rows("AUT-07 unexpected", "a 401 has a code", at(all, 1, index * 5, { cause }))
  ),
  ...rows("AUT-05 status", "a 401 is 400", each("cause", ["expired"])),
  ...rows("AUT-04 status", "a 401 is 400", each("cause", ["no JWT", "cut", "another payload"])),
  ...rows("AUT-12 status", "a 401 is 403", each("cause", ["revoked"])),
  ...rows("AUT-01 status", "a 401 is 200", at(all, 3, 7, { cause: "none" })),
  ...rows("AUT-08 status", "a valid token is refused", at(all, 5, 6, { caller: "personal" })),
  ...rows("AUT-10 status", "a create is 200", at(creates, 3, 0, { kind: "personal" })),
  ...rows("AUT-10 wrong-type", "no data", at(answering, 3, 8, { kind: "personal" })),
  ...rows("AUT-10 status", "an operation is 202", at(actions.slice(0, 3), 2, 0, { kind: "personal" })),
  ...rows(
    "AUT-11 status",
    "a valid token is refused",
    cross(at(all, 3, 9), each("caller", ["rotated, old", "rotated, new"]))
  ),
  ...rows("AUT-12 status", "a revoked token is accepted", at(all, 6, 10)),
  ...rows("AUT-12 status", "a valid token is refused", at(all, 2, 1, { caller: "living" })),
  ...rows(
    "AUT-13 disclosed",
    "a secret is shown again",
    each("endpoint", ["GET /my/tokens", "GET /my/tokens/{id}"], { by: "GET" })
  ),
  ...rows("AUT-06 missing", "a 401 has another text", each("cause", ["none", "expired", "revoked", "no JWT"])),
  ...rows("AUT-09 status", "a privilege is not checked", [
    { endpoint: "GET /credentials", caller: "limited to worker:READ" },
    { endpoint: "GET /workers", caller: "limited to credential:READ" }
  ]),
  ...row("AUT-13 missing", "a create shows no secret", { endpoint: "POST /my/tokens" }),
  ...row("AUT-14 status", "a valid token is refused", { caller: "external" }),
  ...row("AUT-14 status", "a valid token is refused", { caller: "external", endpoint: "GET /workers" }),
  ...rows(
    "AUT-15 wrong-type",
    "meta asks for a second factor",
    each("endpoint", ["GET /workers", "POST /workers", "GET /credentials/{id}"], { caller: "enrolled" })
  ),
  ...rows("AUT-15 status", "a valid token is refused", at(all, 5, 11, { caller: "enrolled" })),
  ...rows("ENV-01 missing", "no data", at(answering, 2, 4, { caller: "enrolled" }))
]

/** An endpoint with the operation that a caller has on the same type instead of the needed one. */
const instead: ReadonlyArray<readonly [list: ReadonlyArray<string>, has: ReadonlyArray<string>]> = [
  [
    endpoints((route) => isList(route) && route.type !== "ban" && route.type !== "screeningPackage"),
    ["CREATE", "UPDATE", "DELETE"]
  ],
  [creates, ["READ", "UPDATE", "DELETE"]],
  [updates, ["READ", "CREATE", "DELETE"]],
  [deletes, ["READ", "CREATE", "UPDATE"]]
]

const onOther = (operation: string, list: ReadonlyArray<string>, shift: number) =>
  some(list, 5, shift).flatMap((endpoint, index) => {
    const types = ["worker", "credential", "credentialCheck", "captureRequest", "exemption", "webhook", "applicant"]
    return [{ endpoint, has: `${some(types, 7)[(index * 3 + shift) % 7]}:${operation}` }]
  })

const privileges: ReadonlyArray<Fault> = [
  ...rows("PRV-01 status", "a privilege is not checked", at(lists, 6)),
  ...rows("PRV-06 status", "a privilege is not checked", at(singles, 4, 1)),
  ...rows("PRV-02 status", "a privilege is not checked", at(creates, 6, 1)),
  ...rows("PRV-03 status", "a privilege is not checked", at(updates, 6, 1)),
  ...rows("PRV-04 status", "a privilege is not checked", at(deletes, 6, 1)),
  ...rows("PRV-01 status", "a privilege is not checked", at(lists, 2, 1, { has: "nothing" })),
  ...rows("PRV-02 status", "a privilege is not checked", at(creates, 2, 2, { has: "nothing" })),
  ...rows("PRV-03 status", "a privilege is not checked", at(updates, 2, 0, { has: "nothing" })),
  ...rows("PRV-04 status", "a privilege is not checked", at(deletes, 2, 3, { has: "nothing" })),
  ...instead.flatMap(([list, has], index) =>
    has.flatMap((own, shift) =>
      rows("PRV-05 status", "a privilege is not checked", at(list, 2, index + shift * 2, { has: own }))
    )
  ),
  ...rows("PRV-05 status", "a privilege is not enough", [
    ...at(lists, 3, 1),
    ...at(creates, 3, 2),
    ...at(updates, 3, 0),
    ...at(deletes, 3, 3)
  ]),
  ...rows(
    "PRV-06 status",
    "a privilege is not checked",
    [
      ...onOther("READ", lists, 0),
      ...onOther("CREATE", creates, 1),
      ...onOther("UPDATE", updates, 2),
      ...onOther("DELETE", deletes, 3)
    ].filter(({ endpoint, has }) => !isOf(endpoint, has))
  ),
  ...row("PRV-06 status", "a privilege is not checked", { endpoint: "GET /workers/{id}", derived: "yes" }),
  ...rows("PRV-07 status", "the body is checked before the privilege", at(endpoints(hasBody), 9)),
  ...rows("PRV-08 status", "the resource is sought before the privilege is checked", at(endpoints(hasId), 9)),
  ...rows("PRV-09 changed", "the call is made before the privilege is checked", [
    ...at(creates, 3),
    ...at(updates, 4),
    ...at(deletes, 4)
  ]),
  ...rows(
    "PRV-16 changed",
    "the call is made before the privilege is checked",
    each("endpoint", ["POST /credentials/{id}/link", "POST /credentials/{id}/transfer", ...batches])
  ),
  ...row("PRV-17 changed", "the call is made before the privilege is checked", {
    endpoint: "POST /credentials/{id}/unlink"
  }),
  ...rows(
    "PRV-11 status",
    "a privilege is not checked",
    cross(each("caller", ["limited to nothing, again"]), at(all, 4, 2))
  ),
  ...rows(
    "PRV-11 status",
    "a privilege is not checked",
    each("caller", ["limited to worker:READ, again", "limited to credential:READ, again"])
  ),
  ...rows("PRV-10 wrong-value", "a refusal names another account", [...at(lists, 2, 1), ...at(creates, 1, 4)]),
  ...rows("PRV-10 wrong-value", "a refusal names nobody", [
    ...at(updates, 1, 3),
    { endpoint: "POST /webhooks/{id}/rotate" }
  ]),
  ...rows("PRV-10 wrong-value", "a refusal names another operation", [
    ...at(creates, 1, 1),
    ...at(updates, 1, 0),
    ...at(deletes, 1, 2)
  ]),
  ...rows("PRV-13 status", "the endpoint is missing", each("endpoint", ["GET /workers", "GET /credentials"])),
  ...rows("PRV-14 status", "the endpoint is missing", each("endpoint", ["GET /applicants", "GET /screening-packages"])),
  ...row("PRV-15 missing", "entries of a second client are missing"),
  ...rows("PRV-17 status", "a privilege is not checked", each("endpoint", [...actions, ...batches], { has: "READ" })),
  ...rows(
    "PRV-18 status",
    "the endpoint is missing",
    each(
      "endpoint",
      ["/recruitment-checks", "/fetch-requests", "/exemptions", "/webhooks", "/bans"].map((path) => `GET ${path}`)
    )
  ),
  ...rows("PRV-12 status", "a ban can be changed", each("method", ["POST", "PUT", "PATCH", "DELETE"])),
  ...rows(
    "AUT-10 status",
    "the endpoint is missing",
    each("endpoint", ["GET /workers", "GET /credentials"], { kind: "personal" })
  ),
  ...row("PRV-15 wrong-value", "an entry names the client"),
  ...rows(
    "PRV-16 status",
    "a privilege is not checked",
    each("endpoint", [...actions, ...batches, "POST /webhooks/{id}/rotate"])
  ),
  ...row("PRV-02 status", "a privilege is not checked", { endpoint: "POST /fetch-requests/batch" }),
  ...rows(
    "PRV-16 status",
    "a privilege is not checked",
    each("endpoint", [actions[0] ?? "", batches[1] ?? ""], { has: "nothing" })
  ),
  ...rows(
    "PRV-16 status",
    "a privilege is not checked",
    each("endpoint", [...actions, ...batches], { has: "worker:UPDATE" })
  )
]

/** Whether a privilege is on the type of an endpoint. */
function isOf(endpoint: string, has: string): boolean {
  const paths: Readonly<Record<string, string>> = {
    worker: "/workers",
    credential: "/credentials",
    credentialCheck: "/recruitment-checks",
    captureRequest: "/fetch-requests",
    exemption: "/exemptions",
    webhook: "/webhooks",
    applicant: "/applicants"
  }
  return endpoint.includes(paths[has.split(":")[0] ?? ""] ?? "none")
}

const ways = ["body", "Basic"]

const grants = [{ by: "body", client: "second client" }, { by: "Basic" }, { by: "body", host: "second" }]

const oauth: ReadonlyArray<Fault> = [
  ...row("OAU-01 missing", "the token has another name", { by: "body", client: "second client" }),
  ...rows("OAU-06 wrong-value", "expires_in is half an hour", grants),
  ...row("OAU-08 status", "a right header helps a wrong body"),
  ...rows("OAU-15 not-json", "a refusal is a page", each("cause", ["unknown", "secret", "grant missing"])),
  ...row("OAU-19 status", "a new token ends the earlier ones", { client: "second client" }),
  ...row("OAU-20 status", "JSON is read as a form"),
  ...row("OAU-20 wrong-type", "a refusal in the envelope", { cause: "JSON" }),
  ...["grants tokens", "opens a session", "redirects with a session"].flatMap((what) =>
    row("OAU-22 status", `a provider path ${what}`)
  ),
  ...row("OAU-22 status", "a malformed token is accepted", { endpoint: "GET /workers", flaw: "state" }),
  ...row("OAU-23 missing", "a create shows no secret", { endpoint: "POST /my/clients" }),
  ...rows("OAU-24 missing", "a grant does not speak of caches", grants),
  ...rows("OAU-24 wrong-value", "a grant is stored for an hour", grants),
  ...rows(
    "OAU-01 status",
    "a valid client is refused",
    each("client", ["second client", "admin of the second tenant"], { by: "body" })
  ),
  ...rows(
    "OAU-02 status",
    "a valid client is refused",
    each("client", ["first client", "second client"], { by: "Basic" })
  ),
  ...rows("OAU-01 status", "a grant is 201", grants),
  ...rows("OAU-03 wrong-value", "the token is cut", grants),
  ...rows("OAU-04 wrong-value", "another token_type", grants),
  ...rows("OAU-04 missing", "no token_type", grants),
  ...rows("OAU-05 wrong-type", "expires_in is a text", grants),
  ...rows("OAU-05 wrong-value", "expires_in is 0", grants),
  ...rows("OAU-05 missing", "no expires_in", grants),
  ...rows("OAU-05 status", "a token ends at once", each("client", ["second client"])),
  ...row("OAU-07 status", "Basic wins over the body"),
  ...rows("OAU-09 status", "another grant is granted", each("by", ways, { grant: "missing" })),
  ...rows(
    "OAU-10 status",
    "another grant is granted",
    cross(each("by", ways), each("grant", ["password", "authorization_code", "refresh_token"]))
  ),
  ...rows("OAU-11 status", "an unknown client is granted", each("by", ways)),
  ...rows(
    "OAU-12 status",
    "a wrong secret is granted",
    cross(each("by", ways), each("near", ["same length", "another case", "shorter", "longer", "empty", "far"]))
  ),
  ...rows("OAU-13 status", "a revoked client is granted", each("by", ways)),
  ...rows("OAU-14 missing", "a failed Basic has no challenge", each("cause", ["unknown", "secret", "revoked"])),
  ...rows("OAU-14 wrong-value", "the challenge has another realm", each("cause", ["unknown", "secret", "revoked"])),
  ...row("OAU-14 wrong-value", "the challenge is Bearer", { cause: "secret" }),
  ...rows("OAU-11 wrong-value", "another error name", each("cause", ["unknown"])),
  ...rows("OAU-12 wrong-value", "another error name", each("cause", ["secret"])),
  ...rows("OAU-13 wrong-value", "another error name", each("cause", ["revoked"])),
  ...rows(
    "OAU-10 wrong-value",
    "another error name",
    each("cause", ["grant password", "grant refresh_token", "grant authorization_code"])
  ),
  ...rows("OAU-09 wrong-value", "another error name", each("cause", ["grant missing"])),
  ...rows("OAU-11 status", "another status of a refusal", each("cause", ["unknown"])),
  ...rows("OAU-12 status", "another status of a refusal", each("cause", ["secret"])),
  ...rows("OAU-13 status", "another status of a refusal", each("cause", ["revoked"])),
  ...rows("OAU-10 status", "another status of a refusal", each("cause", ["grant password"])),
  ...["unknown", "secret", "revoked", "grant missing", "grant password"].flatMap((cause) => [
    ...row("OAU-15 missing", "no error_description", { cause }),
    ...row("OAU-15 wrong-type", "a refusal in the envelope", { cause })
  ]),
  ...rows(
    "OAU-16 unexpected",
    "a refresh token is granted",
    cross(each("by", ways), each("client", ["first client", "second client"]))
  ),
  ...rows(
    "OAU-17 wrong-value",
    "a client id has another prefix",
    each("endpoint", ["POST /my/clients", "GET /my/clients"])
  ),
  ...rows("OAU-18 status", "a client has fewer privileges", each("client", ["second client"])),
  ...rows("PRV-15 wrong-value", "a client has an account of its own", each("client", ["second client"])),
  ...rows("AUT-10 status", "a valid token is refused", at(all, 3, 3, { caller: "second client" })),
  ...rows("OAU-22 status", "a malformed token is accepted", each("endpoint", some(all, 2), { flaw: "state" })),
  ...rows(
    "OAU-23 disclosed",
    "a secret is shown again",
    each("endpoint", ["GET /my/clients", "GET /my/clients/{id}"], { by: "GET" })
  )
]

const limitNames = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]

const limits: ReadonlyArray<Fault> = [
  ...limitNames.flatMap((header, index) => [
    ...rows("RTL-01 missing", "no header", at(lists, 2, index, { header, status: "200" })),
    ...rows("RTL-01 missing", "no header", at(creates, 1, index, { header, status: "201" })),
    ...rows("RTL-01 missing", "no header", at(deletes, 1, index, { header, status: "204" })),
    ...rows("RTL-01 missing", "no header", at(endpoints(hasBody), 1, index * 4, { header, status: "400" })),
    ...rows("RTL-01 missing", "no header", at(all, 1, index * 7, { header, status: "403" })),
    ...rows("RTL-01 missing", "no header", at(endpoints(hasId), 1, index * 5, { header, status: "404" })),
    ...rows("RTL-01 missing", "no header", each("status", ["409", "422", "429"], { header }).slice(index, index + 1)),
    ...row("RTL-01 missing", "no header", { header, kind: "personal", status: "200" }),
    ...rows("RTL-01 wrong-value", "a header is no number", at(all, 2, index * 6, { header })),
    ...row("RTL-01 wrong-value", "a header is negative", { header, endpoint: all[index * 9] ?? "" })
  ]),
  ...rows("RTL-04 missing", "no header", [{ header: "Retry-After", status: "429" }]),
  ...row("RTL-04 wrong-value", "Retry-After is a date"),
  ...row("RTL-04 status", "another status", { status: "429" }),
  ...row("RTL-04 wrong-value", "a code in lower case", { status: "429" }),
  ...row("RTL-04 wrong-type", "error is a text", { status: "429" }),
  ...row("RTL-04 status", "the limit is not kept"),
  ...row("RTL-02 unchanged", "the remaining calls do not fall", { endpoint: "GET /workers" }),
  ...row("RTL-02 unchanged", "the used calls are told for the remaining", { endpoint: "GET /workers" }),
  ...rows("RTL-02 wrong-value", "more calls remain than the limit", [...at(lists, 2, 3), ...at(updates, 1, 5)]),
  ...rows("RTL-03 wrong-value", "the reset is a Unix time", [...at(lists, 2, 2), ...at(deletes, 1, 4)]),
  ...row("RTL-05 status", "a limit does not recover"),
  ...row("RTL-06 changed", "a call beyond the limit is made", { endpoint: "POST /workers" }),
  ...limitNames.flatMap((header) => [
    ...row("RTL-08 missing", "no header", { header, surface: "newer", status: "401" }),
    ...rows("RTL-08 missing", "no header", each("status", ["200", "401"], { header, endpoint: "POST oauth/token" }))
  ])
]

/** Faults of AUT, PRV, OAU and RTL. */
export const accessFaults: ReadonlyArray<Fault> = [...bearer, ...privileges, ...oauth, ...limits]
