// Times Weka's Id3: java -cp weka.jar Id3Bench.java TABLE.arff BUILDS
//
// Prints the number of leaves, then the nanoseconds of each build. The start of the virtual machine and the reading of
// the table are not counted; the first builds warm the compiler up, so the caller takes the best.
import java.io.BufferedReader;
import java.io.FileReader;
import weka.classifiers.trees.Id3;
import weka.core.Instances;

public class Id3Bench {
    public static void main(String[] arguments) throws Exception {
        Instances table;
        try (BufferedReader reader = new BufferedReader(new FileReader(arguments[0]))) {
            table = new Instances(reader);
        }
        table.setClassIndex(table.numAttributes() - 1);
        int builds = Integer.parseInt(arguments[1]);
        long[] nanoseconds = new long[builds];
        Id3 tree = null;
        for (int k = 0; k < builds; ++k) {
            tree = new Id3();
            long start = System.nanoTime();
            tree.buildClassifier(table);
            nanoseconds[k] = System.nanoTime() - start;
        }
        System.out.println(tree.toString().lines().filter(line -> line.contains(": ")).count());
        for (long one : nanoseconds) System.out.println(one);
    }
}
