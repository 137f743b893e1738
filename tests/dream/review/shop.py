"""A small memory of a web shop, as a person and an agent would have made it in some weeks."""

FOLDER = {
    "MEMORY.md": """\
# Memory

- [Deploy](project_deploy.md) — how the shop is released, and who says yes
- [Payments](project_payments.md) — the provider's webhooks, retries and the sandbox
- [Search](project_search.md) — the index, its nightly build and known gaps
- [Database in tests](feedback_tests.md) — a real database, never mocks
- [Commits](feedback_commits.md) — small ones, pushed on request
- [Ana](user_ana.md) — backend engineer, new to React
- [Dashboards](reference_dashboards.md) — where graphs and alerts are
""",
    "project_deploy.md": """\
---
name: project-deploy
description: How the shop is released to staging and production, who approves it and how it is rolled back
type: project
---

Releases run from `bin/release --env staging` every Tuesday at 14:30, after the smoke tests of `tests/smoke` are green.
Production follows on Wednesday with `bin/release --env production`; Marta approves it in the channel #shop-releases.

Roll back with `bin/rollback VERSION`. It restores the previous container image and leaves migrations alone, so a
release with a destructive migration has to be split in two. The health check listens on port 8089 and answers within
300 ms, otherwise the load balancer drains the node.

The freeze for Christmas starts on 2025-12-15 and ends on 2026-01-07. Hotfixes in that time need Jonas as well.
""",
    "project_payments.md": """\
---
name: project-payments
description: Webhooks of the payment provider, their retries, idempotency keys and the sandbox account
type: project
---

The provider repeats a webhook for 72 hours with growing intervals, so every handler stores the event id in
`payment_events` and ignores one that it has seen. Refunds arrive before the capture now and then; the state machine in
`payments/states.py` allows that since version 4.2.

The sandbox account is shared with the mobile team. Its test cards expire in March 2026; order new ones with the
provider's support, which takes about five working days. Amounts are integers in cents with an ISO currency beside.
""",
    "project_search.md": """\
---
name: project-search
description: How the search index is built every night, what it leaves out and how a rebuild is started
metadata:
  type: project
---

The index is rebuilt at 02:15 from the read replica and takes 40 minutes for 1.2 million products. Synonyms live in
`search/synonyms.yml`; a change there needs a full rebuild, started by `make reindex`.

Products without a category are left out, which support hears about each week. Typos are tolerated from five letters on.
See [Deploy](project_deploy.md) for the window in which a rebuild may run.
""",
    "feedback_tests.md": """\
---
name: feedback-tests
description: Integration tests use a real database and never mocks, because a mock hid a broken migration
type: feedback
---

Integration tests run against a real PostgreSQL database. Never replace the repository layer by mocks.

**Why:** in September a mocked repository passed while the migration was broken in production.

**How to apply:** start the container with `make test-db` before the suite. Unit tests of pure functions stay.
""",
    "feedback_commits.md": """\
---
name: feedback-commits
description: Commits are small, have a subject in the imperative, and are pushed only when asked for
type: feedback
---

Make small commits with a subject in the imperative. Do not push to the remote repository unless asked to.

**Why:** the pipeline deploys each branch to a preview environment that costs money.
""",
    "user_ana.md": """\
---
name: user-ana
description: Ana is a senior backend engineer who is new to React and prefers short answers
type: user
---

Ana has written Go and Python services for ten years and touches the React frontend for the first time. Explain frontend
matters by comparison with backend concepts. She prefers short answers with a code sample.
""",
    "reference_dashboards.md": """\
---
name: reference-dashboards
description: Where the graphs, alerts and logs of the shop are found
type: reference
---

Graphs are in [Grafana](https://grafana.shop.example/d/orders), latency on the board "checkout". Alerts arrive in the
channel #shop-oncall. Logs are searched with `kubectl logs -l app=shop` or in Loki, thirty days back.
""",
}
