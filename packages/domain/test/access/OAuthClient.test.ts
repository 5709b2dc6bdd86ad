import { assert, describe, it } from "@effect/vitest"
import {
  clientIdLength,
  clientIdPrefix,
  clientSecretLength,
  clientSecretPrefix,
  isClientId
} from "@wcs/domain/access/OAuthClient"

const good = "wcs_oauth_0123456789abcDEF"

describe("OAuthClient", () => {
  it("OAU-17: an id is `wcs_oauth_` and 16 letters or digits", () => {
    assert.isTrue(isClientId(good))
    assert.strictEqual(clientIdPrefix.length + clientIdLength, good.length)
    assert.isTrue(good.startsWith(clientIdPrefix))
  })

  it.each([
    ["nothing", ""],
    ["the prefix alone", clientIdPrefix],
    ["another prefix", good.replace("wcs", "acme")],
    ["the prefix in capitals", good.replace("wcs_oauth", "WCS_OAUTH")],
    ["15 characters", good.slice(0, -1)],
    ["17 characters", `${good}0`],
    ["a hyphen", `${good.slice(0, -1)}-`],
    ["a NUL", `${good.slice(0, -1)}\0`],
    ["a line break behind", `${good}\n`]
  ])("is not %s", (_name, text) => {
    assert.isFalse(isClientId(text))
  })

  it("threat 12: ids and secrets are letters, digits and underscores, which both encodings of Basic leave alone", () => {
    assert.match(clientIdPrefix + clientSecretPrefix, /^\w+$/)
  })

  it("a secret has at least 240 bits of its own, so that no slow hash is needed", () => {
    assert.isAtLeast(clientSecretLength * Math.log2(62), 240)
  })
})
