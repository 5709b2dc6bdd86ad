import { assert, describe, it } from "@effect/vitest"
import { makeConfigurations } from "@wcs/oidc/ProviderConfigurations"

const issuer = "https://idp.example.org"

const publishing = (published: Readonly<Record<string, unknown>>) => {
  const asked: Array<string> = []
  const configurations = makeConfigurations({
    fetch: async (url) => {
      asked.push(url)
      return Response.json({ issuer, jwks_uri: `${issuer}/keys`, ...published })
    }
  })
  return { asked, configurations }
}

const minuteMillis = 60_000

const outcome = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "read",
    () => "refused"
  )

describe("configurations of providers", () => {
  it("are read once in ten minutes, concurrent calls included", async () => {
    const { asked, configurations } = publishing({})
    await Promise.all([configurations(issuer, 0), configurations(issuer, 0)])
    await configurations(issuer, 10 * minuteMillis - 1)
    assert.deepStrictEqual(asked, [`${issuer}/.well-known/openid-configuration`])
    await configurations(issuer, 10 * minuteMillis)
    assert.strictEqual(asked.length, 2)
  })

  it("are refused, and not cached, if they name another issuer or keys without TLS", async () => {
    for (const published of [{ issuer: "https://evil.example" }, { jwks_uri: "http://idp.example.org/keys" }]) {
      const { asked, configurations } = publishing(published)
      assert.strictEqual(await outcome(configurations(issuer, 0)), "refused")
      assert.strictEqual(await outcome(configurations(issuer, 0)), "refused")
      assert.strictEqual(asked.length, 2)
    }
  })

  it("are cached for a hundred issuers", async () => {
    const asked: Array<string> = []
    const configurations = makeConfigurations({
      fetch: async (url) => {
        asked.push(url)
        const { origin } = new URL(url)
        return Response.json({ issuer: origin, jwks_uri: `${origin}/keys` })
      }
    })
    const issuers = Array.from({ length: 101 }, (_, index) => `https://idp${index}.example.org`)
    for (const one of issuers) await configurations(one, 0)
    await configurations(issuers[100] ?? "", 0)
    assert.strictEqual(asked.length, 101)
    await configurations(issuers[0] ?? "", 0)
    assert.strictEqual(asked.length, 102)
  })
})
