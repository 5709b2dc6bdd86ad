import { assert, describe, it } from "@effect/vitest"
import {
  clientIdLength,
  clientIdPrefix,
  clientSecretLength,
  clientSecretPrefix,
  isClientId
} from "@wcs/domain/token/OAuthClient"

const good = "wcs_oauth_0123456789abcDEF"

describe("OAuthClient", () => {
  it("OAU-17: accepts `wcs_oauth_` and 16 letters or digits as an id", () => {
    assert.isTrue(isClientId(good))
    assert.strictEqual(clientIdPrefix.length + clientIdLength, good.length)
    assert.isTrue(good.startsWith(clientIdPrefix))
  })

  it.each([
    ["empty text", ""],
    ["the prefix alone", clientIdPrefix],
    ["another prefix", good.replace("wcs", "acme")],
    ["the prefix in capitals", good.replace("wcs_oauth", "WCS_OAUTH")],
    ["15 characters", good.slice(0, -1)],
    ["17 characters", `${good}0`],
    ["a hyphen", `${good.slice(0, -1)}-`],
    ["a NUL", `${good.slice(0, -1)}\0`],
    ["a trailing line break", `${good}\n`]
  ])("refuses %s", (_name, text) => {
    assert.isFalse(isClientId(text))
  })

  it("threat 12: ids and secrets are letters, digits and underscores, the same in both encodings of Basic", () => {
    assert.match(clientIdPrefix + clientSecretPrefix, /^\w+$/)
  })

  it("a secret has at least 240 bits of entropy, so it needs no slow hash", () => {
    assert.isAtLeast(clientSecretLength * Math.log2(62), 240)
  })
})
