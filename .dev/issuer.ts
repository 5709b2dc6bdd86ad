/** An OpenID provider that publishes its key and signs access tokens. It has no login. */
import { generateKeyPairSync, randomUUID, sign } from "node:crypto"
import { createServer } from "node:http"

const inBase64Url = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

export interface Issuer {
  /** Its issuer URL, over HTTP on this machine. */
  readonly url: string
  /** An access token with these claims, valid for an hour. */
  readonly token: (claims: object) => string
}

/** Starts an issuer on a free port. It ends with the process, and keeps no process alive. */
export const startIssuer = async (): Promise<Issuer> => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const kid = randomUUID()
  const pages = new Map<string, object>()
  const server = createServer(({ url = "" }, response) => {
    const page = pages.get(url)
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "application/json" })
    response.end(JSON.stringify(page ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  server.unref()
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : ""}`
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
    token: (claims) => {
      const now = Math.floor(Date.now() / 1000)
      const head = inBase64Url({ alg: "RS256", kid, typ: "at+jwt" })
      const text = `${head}.${inBase64Url({ ...claims, iss: url, iat: now, exp: now + 3600 })}`
      return `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`
    }
  }
}
