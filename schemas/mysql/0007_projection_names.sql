-- Which projections there are is the registry's to say: tables hold names. MODIFY to what a column is already
-- changes nothing, so a migration that was cut short goes on. Projectors stand still meanwhile. MariaDB, which
-- reads the comments that begin with M, copies each table once. MySQL reads those that begin with a version,
-- and copies twice: from an ENUM in ascii its 9.7 keeps the first letter alone, in utf8mb4 the name. Run again
-- it meets names that came later, too.

ALTER TABLE progress MODIFY projection
  /*!80000 ENUM('following', 'fans', 'profiles', 'posts', 'feed') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL */
  /*M! VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL */;
ALTER TABLE progress MODIFY projection VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL;

ALTER TABLE outbox MODIFY projection
  /*!80000 ENUM('following', 'fans', 'profiles', 'posts', 'feed') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL */
  /*M! VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL */;
ALTER TABLE outbox MODIFY projection VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL;

ALTER TABLE parked MODIFY projection
  /*!80000 ENUM('following', 'fans', 'profiles', 'posts', 'feed') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL */
  /*M! VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL */;
ALTER TABLE parked MODIFY projection VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL;

ALTER TABLE repairs MODIFY projection
  /*!80000 ENUM('following', 'fans', 'profiles', 'posts', 'feed') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL */
  /*M! VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL */;
ALTER TABLE repairs MODIFY projection VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL;

ALTER TABLE generations MODIFY projection
  /*!80000 ENUM('following', 'fans', 'profiles', 'posts', 'feed') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL */
  /*M! VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL */;
ALTER TABLE generations MODIFY projection VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL;

ALTER TABLE rebuild_loads MODIFY projection
  /*!80000 ENUM('following', 'fans', 'profiles', 'posts', 'feed') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL */
  /*M! VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL */;
ALTER TABLE rebuild_loads MODIFY projection VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL;
