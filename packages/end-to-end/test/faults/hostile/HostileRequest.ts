import type { JsonValue } from "@wcs/domain/shared/Json"
import { oneOf, type Random } from "../Rounds.ts"
import type { Described, Operation } from "./Described.ts"
import { exampleOf } from "./Example.ts"
import { headerText, hostileBody, printable, wildText } from "./Wild.ts"

/** A request as it goes over the wire. */
export interface HostileRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly content: string | Uint8Array | undefined
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "SEARCH"]

const mediaTypes = [
  ...["application/json", "application/json; charset=utf-16", "application/merge-patch+json", "text/plain", ";", ""],
  ...["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx", "APPLICATION/JSON"]
]

/** Headers with hostile values. `host` selects the tenant, so only some of them name ours. */
const header = (random: Random): readonly [string, string] => {
  const [name, value] = oneOf(random, [
    ["content-type", oneOf(random, mediaTypes)],
    ["content-encoding", oneOf(random, ["gzip", "br", "identity", "x"])],
    ["authorization", `${oneOf(random, ["Bearer ", "bearer\t", "Basic ", "Token ", ""])}${headerText(random)}`],
    ["host", oneOf(random, ["other.example", "LOCALHOST", "localhost.", "[::1]", "a b", "localhost:1:2"])],
    ["x-request-id", headerText(random)],
    ["x-http-method-override", oneOf(random, methods)],
    [oneOf(random, ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "forwarded"]), headerText(random)],
    [
      oneOf(random, ["accept", "accept-encoding", "accept-language", "cookie", "origin", "referer"]),
      headerText(random)
    ],
    [oneOf(random, ["if-match", "if-none-match", "if-modified-since", "range", "expect", "te"]), headerText(random)]
  ] as const)
  return [name, value.trim()]
}

const segment = (random: Random): string =>
  random(2) === 0
    ? encodeURIComponent(wildText(random).toWellFormed()).slice(0, 3000)
    : printable(wildText(random)).replaceAll(/[/?]/g, "")

/** The entities that paths and bodies may name, by the prefix of their ids. */
export type IdsOf = (prefix: string) => ReadonlyArray<string>

/** The prefix of the ids of each collection. */
const prefixes: Readonly<Record<string, string>> = {
  workers: "wkr",
  applicants: "app",
  credentials: "cred",
  exemptions: "exm",
  webhooks: "whk",
  "recruitment-checks": "chk",
  "fetch-requests": "cap",
  "screening-packages": "package",
  "compliance-checks": "check",
  "identity-providers": "idp",
  "verification-sources": "src",
  constituents: "constituent"
}

/** The prefix of the ids in the path of an operation. */
const prefixOf = ({ path }: Operation): string =>
  prefixes[path.split("/").find((part) => part in prefixes) ?? ""] ?? "wkr"

const pathOf = (random: Random, operation: Operation, idsOf: IdsOf): string =>
  operation.path.replaceAll(/\{\w+\}/g, () =>
    random(6) === 0 ? segment(random) : oneOf(random, idsOf(random(8) === 0 ? "wkr" : prefixOf(operation)))
  )

const anyPath = (random: Random): string =>
  [
    oneOf(random, ["/openapi/v1", "/openapi/v1", "/api", "/openapi", "/.well-known", ""]),
    ...Array.from({ length: 1 + random(3) }, () =>
      random(2) === 0 ? oneOf(random, ["workers", "credentials", "link", "users", "..", "."]) : segment(random)
    )
  ].join("/")

/** Makes a request of a random operation. Half of the requests fit the document, except in one place. */
export const hostileRequests = (random: Random, document: Described, idsOf: IdsOf): (() => HostileRequest) => {
  const example = exampleOf(random, document, idsOf)
  const queryOf = ({ query }: Operation): string => {
    const parts = Array.from({ length: Math.max(0, random(6) - 2) }, () => {
      const known = query.length > 0 && random(6) > 0 ? oneOf(random, query) : undefined
      const name = known === undefined ? segment(random) : known.name
      const fitting = known === undefined ? wildText(random) : String(example(known.schema))
      const value = random(4) > 0 ? encodeURIComponent(fitting.toWellFormed()) : segment(random)
      return `${name}${random(8) > 0 ? "=" : oneOf(random, ["", "[]=", "=="])}${value}`
    })
    return parts.length === 0 ? "" : `?${parts.join("&")}`
  }
  const contentOf = (operation: Operation): Pick<HostileRequest, "content" | "headers"> => {
    if (operation.bodies.length === 0) return { headers: {}, content: random(6) === 0 ? wildText(random) : undefined }
    const [mediaType, schema] = oneOf(random, operation.bodies)
    const body: JsonValue = example(schema)
    const content = mediaType.includes("json")
      ? hostileBody(random, body)
      : `${new URLSearchParams(Object.entries(Object(body)))}${oneOf(random, ["", "&client_id=1", "&=%zz", "&a"])}`
    return { headers: { "content-type": mediaType }, content }
  }
  return () => {
    const operation = oneOf(random, document.operations)
    const isElsewhere = random(10) === 0
    const { content, headers } = contentOf(operation)
    const path = (isElsewhere ? anyPath(random) : pathOf(random, operation, idsOf)) + queryOf(operation)
    const more = random(4) === 0 ? Array.from({ length: 1 + random(3) }, () => header(random)) : []
    return {
      method: random(12) === 0 ? oneOf(random, methods) : operation.method,
      // Longer request lines have their own tests: the server closes the connection after them.
      path: path.slice(0, random(200) === 0 ? 12_000 : 8000),
      headers: { ...headers, ...Object.fromEntries(more) },
      content
    }
  }
}
