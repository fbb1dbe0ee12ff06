-- What each role may in MySQL 8 and above, or MariaDB, and nothing else. The writer has no tables, and no user.
--
-- `fanfold` is what the names of schemas and users begin with; another deployment on the server has its own. On each
-- server, as one who may grant, the users first, their passwords in no file of this folder:
--
--   CREATE USER fanfold_reader IDENTIFIED BY '…' REQUIRE SSL;   -- and fanfold_projector, fanfold_operator
--   sed s/fanfold/NAME/g deploy/mysql/rights.sql | mysql        -- or as it stands
--
-- No deployment's name may begin with another's and a `_` on one server: the users of `fanfold`, and a backup of its
-- schemas by name, would have those of `fanfold_test`, too.
--
-- Run again it changes nothing. Tried with MySQL 9.7 and MariaDB 10.11. Where MySQL's `partial_revokes` is ON, patterns
-- are names: GRANT for each schema there.

GRANT SELECT ON `fanfold\_%`.* TO fanfold_reader;

-- Rows alone: tables are made and dropped by the operator's verbs. REPLACE, of what the auditor mends, deletes. All
-- projectors are one user: a lane's next owner may end the transaction of the last one (KILL), and no other user's.
GRANT SELECT, INSERT, UPDATE, DELETE ON `fanfold\_%`.* TO fanfold_projector;

-- `fanfold init` makes schemas, too: CREATE is of all whose names fit.
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX, DROP ON `fanfold\_%`.* TO fanfold_operator;
-- `fanfold identity renew` refuses while others are connected, and sees only its own user's sessions without this.
GRANT PROCESS ON *.* TO fanfold_operator;
