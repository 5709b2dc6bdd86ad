/** What an example shows for a value that differs between two runs. */
export const shownAs = {
  time: "2026-03-02T10:00:00.000Z",
  laterTime: "2026-06-01T10:00:00.000Z",
  laterDate: "2030-06-30",
  requestId: "01KJQ3T5D8Y4W2000000000000",
  accessToken: "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhY2NvdW50In0.c2lnbmF0dXJl",
  personalToken: "wcs_pat_Xk3Vb8Nq1Mz6Lp0Wy5Hd9Js2Gf7Ae4Rt8Uc3Qo1Ti6",
  clientSecret: "wcs_secret_Vd8kQ2mZr5Tn7Xc1Lp4Wy9Hb3Js6Gf0Ae5Ru2Kt8",
  signingSecret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
  inviteUrl: "https://localhost/invite/Xk3Vb8Nq1Mz6Lp0Wy5Hd9Js2Gf7Ae4Rt8Uc3Qo1Ti6P",
  nextCursor: "Zm9yLXRoZS1uZXh0LXBhZ2U",
  position: "djEuYWZ0ZXItdGhpcy1wYWdl",
  issuedAt: 1_772_445_600,
  expiresAt: 1_775_037_600,
  number: 1017,
  millis: 42,
  exchange: {
    number: 1,
    requestHeaders: [
      { name: "webhook-id", value: "dlv_5aSd2FgHj8KlZ3xQ" },
      { name: "webhook-timestamp", value: "1772445600" },
      { name: "webhook-signature", value: "v1,K5oZfzN9…" },
      { name: "content-type", value: "application/json" }
    ],
    responseHeaders: [{ name: "date", value: "Mon, 02 Mar 2026 10:00:00 GMT" }],
    responseBody: ""
  }
} as const
