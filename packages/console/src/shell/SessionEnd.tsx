/** Takes the place of every screen once the session has ended. */
export const SessionEnd = () => (
  <main id="main" class="alone">
    <h1>Your session has ended</h1>
    <p>It ends after 30 minutes without use, after 12 hours, or when it is ended from another place.</p>
    <p>
      <a class="button main" href="/login" rel="external" target="_self">
        Log in again
      </a>
    </p>
  </main>
)
