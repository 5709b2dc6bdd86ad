/** An OpenID provider without pages: it publishes its key, signs access tokens, and logs in one person at once. */
import { generateKeyPairSync, randomUUID, sign } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { listen } from "../Listen.ts"

const inBase64Url = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

export interface Issuer {
  /** Its issuer URL, over HTTP on this machine. */
  readonly url: string
  /** An access token with these claims, valid for an hour. */
  readonly token: (claims: object) => string
  /** From now on a person with these claims is logged in at the provider. */
  readonly enter: (claims: object) => void
}

/** Starts an issuer on a free port. It ends with the process, and keeps no process alive. */
export const startIssuer = async (): Promise<Issuer> => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const kid = randomUUID()
  let person: object = {}
  /** The query of each authorization request, by its code. */
  const asked = new Map<string, URLSearchParams>()
  const pages = new Map<string, object>()

  const signed = (typ: string, claims: object): string => {
    const now = Math.floor(Date.now() / 1000)
    const content = `${inBase64Url({ alg: "RS256", kid, typ })}.${inBase64Url({ ...claims, iss: url, iat: now, exp: now + 3600 })}`
    return `${content}.${sign("sha256", Buffer.from(content), privateKey).toString("base64url")}`
  }
  const told = (response: ServerResponse, page: object | undefined) =>
    response
      .writeHead(page === undefined ? 404 : 200, { "content-type": "application/json" })
      .end(JSON.stringify(page ?? {}))
  const grant = (form: URLSearchParams) => {
    const query = asked.get(form.get("code") ?? "")
    const claims = { ...person, aud: query?.get("client_id"), nonce: query?.get("nonce") }
    return { access_token: randomUUID(), token_type: "Bearer", id_token: signed("JWT", claims) }
  }
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", url)
    if (pathname === "/token") return told(response, grant(new URLSearchParams(await text(request))))
    if (pathname !== "/authorize") return told(response, pages.get(pathname))
    const code = randomUUID()
    asked.set(code, searchParams)
    const back = new URLSearchParams({ code, state: searchParams.get("state") ?? "" })
    return response.writeHead(303, { location: `${searchParams.get("redirect_uri")}?${back}` }).end()
  }
  const server = createServer((request, response) => void handle(request, response))
  const url = `http://127.0.0.1:${await listen(server)}`
  server.unref()
  pages.set("/.well-known/openid-configuration", {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/keys`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"]
  })
  pages.set("/keys", { keys: [{ ...publicKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" }] })
  return {
    url,
    token: (claims) => signed("at+jwt", claims),
    enter: (claims) => {
      person = claims
    }
  }
}
