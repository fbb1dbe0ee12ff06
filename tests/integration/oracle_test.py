"""The oracle bites: a deployment's end tells what went wrong on its way."""

import json
import unittest

import fanfold
from fanfold import Ends, wait_until


class Oracle(fanfold.Case):
    def test_end_tells_drift_and_whoever_has_mended_it(self):
        made = self.embedded()
        made.cli("import", "-", stdin="1 2\n1 3\n")
        made.settle()
        made.check_end(self)
        made.write_sql("UPDATE fan_count_g1 SET n = n + 1 WHERE user_id = 2")
        with self.assertRaisesRegex(AssertionError, "wrong_count fans user 2"):
            made.check_end(self)
        wait_until(made.drift_told, "the auditor tells it, and mends nothing")
        made.cli("repair")
        with self.assertRaisesRegex(AssertionError, '"msg":"drift"'):
            made.check_end(self)
        made.ends = Ends.MENDED
        made.check_end(self)
        made.write_sql("UPDATE repairs SET reason = 'auditor'")
        with self.assertRaisesRegex(AssertionError, "auditor"):
            made.check_end(self)
        made.write_sql("DELETE FROM repairs")

    def test_second_outcome_of_an_event_is_told(self):
        made = self.deployment()
        _, headers, _ = made.writer().request("PUT", "/v1/users/1/following/2?wait=decided")
        made.settle()
        log, copies = made.check_oracle(self)
        self.assertEqual(copies, 0)
        partition, _ = map(int, headers["Fanfold-Position"].split(":"))
        record, = log.records["relation-outcomes"][partition]
        made.put_raw(partition, record["key"], record["value"].encode(), topic="relation-outcomes")
        self.assertEqual(made.check_oracle(self)[1], 1)
        other = json.loads(record["value"]) | {"outcome": "unchanged"}
        made.put_raw(partition, record["key"], json.dumps(other).encode(), topic="relation-outcomes")
        with self.assertRaisesRegex(AssertionError, "two outcomes"):
            made.check_oracle(self)


if __name__ == "__main__":
    unittest.main()
