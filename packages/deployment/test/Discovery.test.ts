import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as jose from "jose"
import * as client from "openid-client"
import { assertRefused } from "./rules/NewerSurface.ts"
import { client as apiClient, at, otherHost, Service, tokenPath } from "./Service.ts"
import { layerService } from "./TestService.ts"

const path = "/.well-known/oauth-authorization-server"

/** Calls of the test's server, as the standard client sends them. */
const fetchBy =
  (call: Service["Service"]["call"]): client.CustomFetch =>
  async (url, { body, headers, method }) => {
    const { host, pathname, search } = new URL(url)
    const rawBody = body instanceof URLSearchParams ? body.toString() : undefined
    const answer = await Effect.runPromise(
      call({
        method,
        path: `${pathname}${search}`,
        token: null,
        host,
        headers: { ...headers },
        ...(rawBody === undefined ? {} : { rawBody })
      })
    )
    return new Response(answer.text, { status: answer.status, headers: answer.headers })
  }

/** Verifies a token as a resource server does (RFC 9068, section 4), by the discovery document. */
const verifiedBy = async (call: Service["Service"]["call"], token: string) => {
  const document = (url: string) => Effect.runPromise(call({ method: "GET", path: new URL(url).pathname, token: null }))
  const { issuer, jwks_uri } = Object((await document(`https://localhost${path}`)).json)
  const keys = jose.createLocalJWKSet(Object((await document(jwks_uri)).json))
  const demands = { issuer, audience: "wcs/openapi/v1", typ: "at+jwt", algorithms: ["EdDSA"] }
  return (await jose.jwtVerify(token, keys, demands)).payload
}

layer(Layer.fresh(layerService()), { excludeTestServices: true })("RFC 8414", (it) => {
  for (const [method, auth] of [
    ["client_secret_basic", client.ClientSecretBasic],
    ["client_secret_post", client.ClientSecretPost]
  ] as const) {
    it.effect(`OAU-01, threat 5: a standard client finds the token endpoint and gets a token by ${method}`, () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const { clientId, clientSecret } = yield* apiClient()
        const options: client.DiscoveryRequestOptions = { algorithm: "oauth2", [client.customFetch]: fetchBy(call) }
        const configuration = yield* Effect.promise(() =>
          client.discovery(new URL("https://localhost"), clientId, undefined, auth(clientSecret), options)
        )
        const granted = yield* Effect.promise(() => client.clientCredentialsGrant(configuration))
        assert.strictEqual(granted.expires_in, 3600)
        const verified = yield* Effect.promise(() => verifiedBy(call, granted.access_token))
        assert.deepStrictEqual([verified.client_id, verified.iss], [clientId, "https://localhost"])
        const workers = yield* call({ method: "GET", path: "/openapi/v1/workers", token: granted.access_token })
        assert.strictEqual(workers.status, 200)
      })
    )
  }

  it.effect("names the host of the requested tenant, and refuses an unknown host", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const get = (host: string) => call({ method: "GET", path, token: null, host })
      const metadata = yield* get(otherHost)
      assert.strictEqual(at(metadata, "issuer"), `https://${otherHost}`)
      assert.strictEqual(at(metadata, "token_endpoint"), `https://${otherHost}${tokenPath}`)
      assert.deepStrictEqual(at(metadata, "grant_types_supported"), ["client_credentials"])
      assertRefused(yield* get("nobody.example"), "NOT_FOUND")
    })
  )
})
